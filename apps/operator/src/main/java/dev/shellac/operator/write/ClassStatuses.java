package dev.shellac.operator.write;

import dev.shellac.kube.watch.Definitions;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.Condition.State;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayClassStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a GatewayClass says besides being accepted: whether the installed release of Gateway API is one that we know. */
public final class ClassStatuses {
    private static final String SUPPORTED = "SupportedVersion";
    private static final Pattern RELEASE = Pattern.compile("v?1\\.(\\d+)\\..*");
    private static final int OLDEST = 2;
    private static final int NEWEST = 7;
    private static final List<GroupKind> WANTED = List.of(
            GroupKind.HTTP_ROUTE, GroupKind.REFERENCE_GRANT, GroupKind.LISTENER_SET, GroupKind.BACKEND_TLS_POLICY);

    static final Set<String> OWN_CONDITIONS = Set.of("Accepted", SUPPORTED);

    private ClassStatuses() {}

    static Map<Name, GatewayClassStatus> of(
            Map<Name, GatewayClassStatus> decided, Snapshot snapshot, Definitions definitions) {
        var statuses = new TreeMap<Name, GatewayClassStatus>();
        decided.forEach((name, status) -> {
            long generation = snapshot.find(GatewayClass.class, name)
                    .map(found -> found.meta().generation())
                    .orElse(0L);
            Stream<Condition> others = status.conditions().conditions().stream()
                    .filter(condition -> !condition.type().equals(SUPPORTED));
            statuses.put(
                    name,
                    new GatewayClassStatus(
                            new ConditionSet(Stream.concat(others, Stream.of(supported(definitions, generation)))
                                    .toList()),
                            status.supportedFeatures()));
        });
        return statuses;
    }

    /** What is installed, and what is off about it. */
    public static String words(Definitions definitions) {
        return supported(definitions, 0).message();
    }

    private static Condition supported(Definitions definitions, long generation) {
        if (WANTED.stream().noneMatch(kind -> definitions.find(kind).isPresent())
                && definitions.bundles().isEmpty()) {
            return new Condition(
                    SUPPORTED,
                    State.FALSE,
                    "UnsupportedVersion",
                    "the definitions of Gateway API are not installed",
                    generation,
                    Optional.empty());
        }
        var off = new ArrayList<String>();
        List<String> strange = definitions.bundles().stream()
                .filter(release -> !isKnown(release))
                .toList();
        if (definitions.bundles().isEmpty()) {
            off.add("the definitions do not say which release they are from");
        }
        if (!strange.isEmpty()) {
            off.add("release " + String.join(", ", strange) + " is not one of v1." + OLDEST + " to v1." + NEWEST
                    + ": what it adds is not looked at");
        }
        if (definitions.bundles().size() > 1) {
            off.add("definitions of several releases are mixed: " + String.join(", ", definitions.bundles()));
        }
        boolean good = off.isEmpty();
        WANTED.stream()
                .filter(kind -> definitions.find(kind).isEmpty())
                .forEach(kind -> off.add(kind.kind() + " is not installed"));
        String release = Stream.concat(definitions.bundles().stream(), definitions.channels().stream())
                .collect(Collectors.joining(", ", "Gateway API ", ""))
                .strip();
        return new Condition(
                SUPPORTED,
                good ? State.TRUE : State.FALSE,
                good ? SUPPORTED : "UnsupportedVersion",
                off.isEmpty() ? release : release + "; " + String.join("; ", off),
                generation,
                Optional.empty());
    }

    private static boolean isKnown(String release) {
        Matcher matcher = RELEASE.matcher(release);
        if (!matcher.matches()) {
            return false;
        }
        int minor = Integer.parseInt(matcher.group(1));
        return minor >= OLDEST && minor <= NEWEST;
    }
}
