package dev.shellac.varnishconfig.edge;

import dev.shellac.model.Hostname;
import dev.shellac.model.ResourceId;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.resolve.KeyPair;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The certificates of a port, each with the server names that it is shown for.
 *
 * <p>A listener's certificate is for the listener's hostname. HAProxy takes {@code *.example.com} for one label, Gateway API for any
 * number; what a certificate itself names below that hostname is listed besides, and deeper names that no certificate
 * covers would be of no use to a client. So it is with a listener for all hosts, whose certificate is the first of the list: HAProxy shows
 * that one to whom no other fits. A name belongs to the listener with the most specific hostname alone.
 */
final class ServerNames {
    // A certificate without any name would be shown for all that it names itself.
    private static final String NOBODY = "nobody.invalid";

    private final List<ListenerPlan> listeners;

    private ServerNames(List<ListenerPlan> listeners) {
        this.listeners = listeners;
    }

    /** HAProxy's crt-list, of certificates that are there. */
    static String list(List<ListenerPlan> listeners, Map<ResourceId, KeyPair.Good> pairs) {
        // The listener for all hosts first, then by hostname: the order of YAML makes no difference.
        List<ListenerPlan> ordered = listeners.stream()
                .sorted(Comparator.<ListenerPlan, Boolean>comparing(
                                listener -> !listener.hostname().isAny())
                        .thenComparing(ListenerPlan::hostname)
                        .thenComparing(ListenerPlan::key))
                .toList();
        var names = new ServerNames(ordered);
        return ordered.stream()
                .flatMap(listener -> listener.certificates().stream()
                        .distinct()
                        .flatMap(secret -> Optional.ofNullable(pairs.get(secret)).stream()
                                .map(pair -> EdgeNames.pem(secret) + " " + names.of(listener, pair) + "\n")))
                .collect(Collectors.joining());
    }

    private String of(ListenerPlan listener, KeyPair.Good pair) {
        Set<Hostname> shown = new TreeSet<>();
        if (!listener.hostname().isAny()) {
            shown.add(listener.hostname());
        }
        pair.names().stream()
                .filter(name -> owner(name).filter(listener::equals).isPresent())
                .forEach(shown::add);
        return shown.isEmpty() ? NOBODY : shown.stream().map(Hostname::value).collect(Collectors.joining(" "));
    }

    private Optional<ListenerPlan> owner(Hostname name) {
        return listeners.stream()
                .filter(listener -> listener.hostname().covers(name))
                .min(Comparator.comparing(ListenerPlan::hostname));
    }
}
