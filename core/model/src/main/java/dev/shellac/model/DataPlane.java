package dev.shellac.model;

import dev.shellac.model.status.Address;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the running part of a Gateway reported, as far as it shows in status.
 *
 * @param addresses where it can be reached; none yet while it has none
 * @param unusableAddresses requested addresses that it cannot have, and why
 * @param unavailablePorts ports that it cannot open, and why
 * @param refusals what the router refused of the table that it was given
 * @param refusedCertificates Secrets whose certificate it does not show to anybody, and why
 * @param late certificates that it does not serve with yet
 * @param vclFault why the VCL was not taken, in the compiler's words
 * @param conflicts objects of the cluster that have the names of its own and are not, in words
 * @param pending why it does not serve what the Gateway asks for yet; nothing once it does
 * @param obstacle what keeps further pods from serving, while others serve
 */
public record DataPlane(
        List<Address> addresses,
        Map<String, String> unusableAddresses,
        Map<Port, String> unavailablePorts,
        List<TableRefusal> refusals,
        Map<Name, String> refusedCertificates,
        LateCertificates late,
        Optional<String> vclFault,
        List<String> conflicts,
        Optional<String> pending,
        Optional<String> obstacle) {
    /**
     * Certificates that are on their way.
     *
     * @param secrets those whose listeners do not serve as they should, and why
     * @param overdue why certificates do not get through at all
     */
    public record LateCertificates(Map<Name, String> secrets, Optional<String> overdue) {
        public static final LateCertificates NONE = new LateCertificates(Map.of(), Optional.empty());

        public LateCertificates {
            secrets = Copies.of(secrets);
        }
    }

    /** What becomes of a route of which the router refused a part, the gravest first. */
    public enum Effect {
        /** The host is not in the table. */
        HOST_OMITTED,
        /** The host serves nothing of the route: without one rule its requests would fall to a wider one. */
        ROUTE_OMITTED,
        /** Requests are answered 503. */
        UNAVAILABLE,
        /** It is served without its cache policy. */
        UNCACHED,
        /** It is served, but a part of it does not apply. */
        PARTIAL,
        /** It is served in its previous version until its patterns are compiled. */
        DEFERRED;

        /** The effect with this name in the router's answers, such as {@code route-omitted}; an effect that only later releases know is a partial one. */
        public static Effect of(String name) {
            return Arrays.stream(values())
                    .filter(effect -> effect.name()
                            .toLowerCase(Locale.ROOT)
                            .replace('_', '-')
                            .equals(name))
                    .findFirst()
                    .orElse(PARTIAL);
        }
    }

    /**
     * A part of a route that the data plane refused, by its provenance.
     *
     * @param host where; nothing if it is not known, or does not matter
     * @param rule its number, or {@link #ALL}: no single rule is to blame
     * @param match its number in the rule, or {@link #ALL}
     */
    public record TableRefusal(Name route, Optional<String> host, int rule, int match, Effect effect, String message) {
        public static final int ALL = -1;
    }

    public DataPlane {
        addresses = List.copyOf(addresses);
        unusableAddresses = Copies.of(unusableAddresses);
        unavailablePorts = Copies.of(unavailablePorts);
        refusals = List.copyOf(refusals);
        refusedCertificates = Copies.of(refusedCertificates);
        conflicts = List.copyOf(conflicts);
    }

    /** One in whose way nothing stands but what it waits for. */
    public DataPlane(
            List<Address> addresses,
            Map<String, String> unusableAddresses,
            Map<Port, String> unavailablePorts,
            List<TableRefusal> refusals,
            Map<Name, String> refusedCertificates,
            LateCertificates late,
            Optional<String> vclFault,
            List<String> conflicts,
            Optional<String> pending) {
        this(
                addresses,
                unusableAddresses,
                unavailablePorts,
                refusals,
                refusedCertificates,
                late,
                vclFault,
                conflicts,
                pending,
                Optional.empty());
    }

    /** One that serves what it could take of what it was given. */
    public DataPlane(
            List<Address> addresses,
            Map<String, String> unusableAddresses,
            Map<Port, String> unavailablePorts,
            List<TableRefusal> refusals,
            Optional<String> vclFault) {
        this(
                addresses,
                unusableAddresses,
                unavailablePorts,
                refusals,
                Map.of(),
                LateCertificates.NONE,
                vclFault,
                List.of(),
                Optional.empty());
    }

    /** One that shows every certificate it was given. */
    public DataPlane(
            List<Address> addresses,
            Map<String, String> unusableAddresses,
            Map<Port, String> unavailablePorts,
            List<TableRefusal> refusals,
            Optional<String> vclFault,
            Optional<String> pending) {
        this(
                addresses,
                unusableAddresses,
                unavailablePorts,
                refusals,
                Map.of(),
                LateCertificates.NONE,
                vclFault,
                List.of(),
                pending);
    }

    /** The same, but it does not serve yet what it was given. */
    public DataPlane waiting(String why) {
        return new DataPlane(
                addresses,
                unusableAddresses,
                unavailablePorts,
                refusals,
                refusedCertificates,
                late,
                vclFault,
                conflicts,
                Optional.of(why),
                obstacle);
    }

    /** One that serves everything it was given, at these addresses. */
    public static DataPlane serving(Address... addresses) {
        return new DataPlane(List.of(addresses), Map.of(), Map.of(), List.of(), Optional.empty());
    }
}
