package dev.shellac.translate.resolve;

import dev.shellac.model.GroupKind;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.SecretObject;
import java.security.cert.CertificateException;
import java.util.Optional;

/** References to key pairs and to authorities. */
public record Certificates(Snapshot snapshot, Grants grants) {
    /** The key of a ConfigMap that holds authorities. */
    public static final String AUTHORITIES = "ca.crt";

    private static final String TLS = "kubernetes.io/tls";

    public static Certificates of(Snapshot snapshot) {
        return new Certificates(snapshot, new Grants(snapshot));
    }

    /**
     * A certificate with its key, in a Secret.
     *
     * @param invalid the reason for whatever is wrong, other than a missing grant
     */
    public Resolved<ResourceId> keyPair(ResourceId holder, ObjectRef ref, Reason invalid) {
        ResourceId target = ref.resolve(holder.namespace());
        if (!ref.type().equals(GroupKind.SECRET)) {
            return refused(invalid, ref.type() + " " + ref.name() + " cannot hold a certificate: use a Secret");
        }
        Optional<Refusal> forbidden = grants.refusal(holder, target);
        if (forbidden.isPresent()) {
            return new Resolved.Refused<>(forbidden.get());
        }
        Optional<SecretObject> secret = snapshot.find(SecretObject.class, target.name());
        if (secret.isEmpty()) {
            return refused(invalid, target + " does not exist");
        }
        if (!secret.get().secretType().equals(TLS)) {
            return refused(invalid, target + " has the type " + secret.get().secretType() + ", it must be " + TLS);
        }
        return switch (KeyPair.of(secret.get())) {
            case KeyPair.Bad bad -> refused(invalid, target + " has " + bad.why());
            case KeyPair.Good good -> new Resolved.Found<>(target);
        };
    }

    /** A ConfigMap with authorities; {@code kindInvalid} is the reason for any other kind. */
    public Resolved<ResourceId> authority(ResourceId holder, ObjectRef ref, Reason kindInvalid) {
        ResourceId target = ref.resolve(holder.namespace());
        if (!ref.type().equals(GroupKind.CONFIG_MAP)) {
            return refused(kindInvalid, ref.type() + " " + ref.name() + " cannot hold authorities: use a ConfigMap");
        }
        Optional<Refusal> forbidden = grants.refusal(holder, target);
        if (forbidden.isPresent()) {
            return new Resolved.Refused<>(forbidden.get());
        }
        Optional<ConfigMap> map = snapshot.find(ConfigMap.class, target.name());
        if (map.isEmpty()) {
            return refused(Reason.INVALID_CA_CERTIFICATE_REF, target + " does not exist");
        }
        String text = map.get().texts().getOrDefault(AUTHORITIES, "");
        return authorityFault(text)
                .<Resolved<ResourceId>>map(fault ->
                        refused(Reason.INVALID_CA_CERTIFICATE_REF, target + " has " + fault + " in " + AUTHORITIES))
                .orElseGet(() -> new Resolved.Found<>(target));
    }

    private static Optional<String> authorityFault(String text) {
        Optional<String> fault = Pem.fault(text, "CERTIFICATE");
        if (fault.isPresent()) {
            return fault;
        }
        try {
            return KeyBounds.authorityFault(Pem.certificates(Pem.blocks(text, "CERTIFICATE")));
        } catch (CertificateException e) {
            return Optional.of("a certificate that cannot be read (" + e.getMessage() + ")");
        }
    }

    private static <T> Resolved<T> refused(Reason reason, String message) {
        return new Resolved.Refused<>(new Refusal(reason, message));
    }
}
