package dev.shellac.model;

import dev.shellac.model.status.Address;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the running part of a Gateway reported, as far as it shows in status.
 *
 * @param addresses where it can be reached; none yet while it has none
 * @param unusableAddresses requested addresses that it cannot have, and why
 * @param unavailablePorts ports that it cannot open, and why
 * @param refusals what the router left out of the table that it was given
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

    /**
     * A part of a route that the data plane left out, by its provenance.
     *
     * @param rule its number, or {@link #ALL}: whatever the route has for a host
     * @param match its number in the rule, or {@link #ALL}
     */
    public record TableRefusal(Name route, int rule, int match, String message) {
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
