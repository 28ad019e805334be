package dev.shellac.model.policy;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Metadata;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Resource;
import dev.shellac.model.status.PolicyStatus;
import java.util.List;
import java.util.Optional;

/** That the way to a Service, or one port of it, is TLS, and whom to trust there. */
public record BackendTlsPolicy(Metadata meta, List<Target> targets, Validation validation, PolicyStatus status)
        implements Resource {
    /** A Service of the same namespace; the section is the name of one of its ports. */
    public record Target(GroupKind type, String name, Optional<String> sectionName) {}

    /** Whom to trust. */
    public sealed interface Trust {
        /** The authorities in these objects. */
        record Authorities(List<ObjectRef> refs) implements Trust {
            public Authorities {
                refs = List.copyOf(refs);
            }
        }

        /** A set that is known by name: {@code System}, or one of another implementation. */
        record WellKnown(String name) implements Trust {}
    }

    /** A name that the certificate must carry. */
    public sealed interface SubjectAltName {
        /** A DNS name. */
        record Dns(Hostname hostname) implements SubjectAltName {}

        /** A URI, for example of SPIFFE. */
        record Uri(String uri) implements SubjectAltName {}
    }

    /** The hostname is sent as server name, and checked where no other names are given. */
    public record Validation(Trust trust, Hostname hostname, List<SubjectAltName> subjectAltNames) {
        public Validation {
            subjectAltNames = List.copyOf(subjectAltNames);
        }
    }

    public BackendTlsPolicy {
        targets = List.copyOf(targets);
    }

    /** The same as of a newer form that could not be read at all. */
    public BackendTlsPolicy withDecodeError(String why) {
        return new BackendTlsPolicy(meta.withDecodeError(why), targets, validation, status);
    }

    @Override
    public GroupKind type() {
        return GroupKind.BACKEND_TLS_POLICY;
    }
}
