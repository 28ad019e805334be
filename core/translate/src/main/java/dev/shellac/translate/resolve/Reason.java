package dev.shellac.translate.resolve;

/** Every reason that a condition of ours can have, by the name that the API has for it. */
public enum Reason {
    ACCEPTED("Accepted"),
    ADDRESS_NOT_ASSIGNED("AddressNotAssigned"),
    ADDRESS_NOT_USABLE("AddressNotUsable"),
    BACKEND_NOT_FOUND("BackendNotFound"),
    CONFIGURATION_CHANGED("ConfigurationChanged"),
    CONFLICTED("Conflicted"),
    HOSTNAME_CONFLICT("HostnameConflict"),
    INCOMPATIBLE_FILTERS("IncompatibleFilters"),
    INVALID("Invalid"),
    INVALID_CA_CERTIFICATE_KIND("InvalidCACertificateKind"),
    INVALID_CA_CERTIFICATE_REF("InvalidCACertificateRef"),
    INVALID_CERTIFICATE_REF("InvalidCertificateRef"),
    INVALID_CLIENT_CERTIFICATE_REF("InvalidClientCertificateRef"),
    INVALID_KIND("InvalidKind"),
    INVALID_PARAMETERS("InvalidParameters"),
    INVALID_ROUTE_KINDS("InvalidRouteKinds"),
    LISTENERS_NOT_VALID("ListenersNotValid"),
    NO_CONFLICTS("NoConflicts"),
    NO_MATCHING_LISTENER_HOSTNAME("NoMatchingListenerHostname"),
    NO_MATCHING_PARENT("NoMatchingParent"),
    NO_VALID_CA_CERTIFICATE("NoValidCACertificate"),
    NOT_ALLOWED("NotAllowed"),
    NOT_ALLOWED_BY_LISTENERS("NotAllowedByListeners"),
    OVERLAPPING_HOSTNAMES("OverlappingHostnames"),
    PARENT_NOT_ACCEPTED("ParentNotAccepted"),
    PENDING("Pending"),
    PORT_UNAVAILABLE("PortUnavailable"),
    PROGRAMMED("Programmed"),
    PROTOCOL_CONFLICT("ProtocolConflict"),
    REF_NOT_PERMITTED("RefNotPermitted"),
    RESOLVED_REFS("ResolvedRefs"),
    TARGET_NOT_FOUND("TargetNotFound"),
    UNSUPPORTED_ADDRESS("UnsupportedAddress"),
    UNSUPPORTED_PROTOCOL("UnsupportedProtocol"),
    UNSUPPORTED_VALUE("UnsupportedValue");

    private final String text;

    Reason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
