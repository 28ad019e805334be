package dev.shellac.cli.ask;

import dev.shellac.cli.ask.Question.Unclear;
import dev.shellac.cli.site.GatewayTable;
import dev.shellac.cli.site.Problem;
import dev.shellac.cli.site.Site;
import dev.shellac.explain.Explainer;
import dev.shellac.explain.request.Request;
import dev.shellac.model.Name;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.Listener;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds out which Gateway and port a question is put to.
 *
 * @param gateway if the user named one
 * @param listener by its name in the Gateway or ListenerSet, if the user named one
 */
public record Inquiry(Site site, Optional<Name> gateway, Optional<String> listener) {
    /**
     * Puts the question.
     *
     * @throws Unclear where several Gateways or ports could be meant
     * @throws Unserved where the listener that is meant is refused
     */
    public Told ask(Question question) {
        Optional<Problem> refused = refused(question);
        if (refused.isPresent()) {
            throw new Unserved(refused.get());
        }
        GatewayPlan plan = plan(question);
        ListenerPlan door = door(plan, question);
        GatewayTable table = GatewayTable.of(site, plan);
        var request = new Request(
                GatewayTable.socket(door),
                Optional.of(door.port().value()),
                Optional.empty(),
                question.method(),
                question.target(),
                question.headers());
        return new Told(site, table, request, new Explainer(table.table()).explain(request));
    }

    private Optional<Problem> refused(Question question) {
        return site.snapshot().all(Gateway.class).stream()
                .filter(found ->
                        gateway.isEmpty() || gateway.get().equals(found.meta().name()))
                .flatMap(found -> Stream.concat(
                        found.listeners().stream()
                                .filter(door -> isMeant(door, question))
                                .map(door -> site.problem(found.id(), door)),
                        sets(found)
                                .flatMap(set -> set.listeners().stream()
                                        .filter(door -> isMeant(door, question))
                                        .map(door -> site.problem(set.id(), door)))))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Stream<ListenerSet> sets(Gateway of) {
        return site.snapshot().all(ListenerSet.class).stream()
                .filter(set ->
                        set.parent().resolve(set.meta().name().namespace()).equals(of.id()));
    }

    // By its name, by its port, by its protocol, or because there is no other.
    private boolean isMeant(Listener door, Question question) {
        boolean named = listener.filter(door.name()::equals).isPresent();
        boolean fits = listener.isEmpty()
                && question.port()
                        .map(port -> port == door.port().value())
                        .orElseGet(() -> door.protocol().equals("HTTPS")
                                && question.scheme().filter("https"::equals).isPresent());
        return named || fits || site.plans().isEmpty();
    }

    private GatewayPlan plan(Question question) {
        Collection<GatewayPlan> all = site.plans();
        if (all.isEmpty()) {
            throw new Unclear(
                    "no Gateway in " + site.folder() + " can serve; `shellac check " + site.folder() + "` says why");
        }
        List<GatewayPlan> named = all.stream()
                .filter(plan -> gateway.isEmpty() || gateway.get().equals(plan.gateway()))
                .toList();
        if (named.isEmpty()) {
            throw new Unclear(
                    "there is no Gateway " + gateway.orElseThrow() + " that can serve; there is " + names(all));
        }
        List<GatewayPlan> fitting = named.size() == 1
                ? named
                : named.stream()
                        .filter(plan -> plan.listeners().stream().anyMatch(door -> fits(door, question)))
                        .toList();
        if (fitting.size() != 1) {
            throw new Unclear("several Gateways could be meant, name one with --gateway: "
                    + names(fitting.isEmpty() ? named : fitting));
        }
        return fitting.getFirst();
    }

    private static String names(Collection<GatewayPlan> plans) {
        return plans.stream().map(plan -> plan.gateway().toString()).collect(Collectors.joining(", "));
    }

    private boolean fits(ListenerPlan door, Question question) {
        return listener.filter(name -> !name.equals(door.name())).isEmpty()
                && question.port().filter(port -> port != door.port().value()).isEmpty();
    }

    // Any listener of the right port will do: which one owns the request is for the table to say.
    private ListenerPlan door(GatewayPlan plan, Question question) {
        List<ListenerPlan> doors =
                plan.listeners().stream().filter(door -> fits(door, question)).toList();
        var ports = new TreeSet<Integer>();
        doors.forEach(door -> ports.add(door.port().value()));
        int wellKnown = question.scheme().filter("https"::equals).isPresent() ? 443 : 80;
        Optional<Integer> port = ports.size() == 1
                ? Optional.of(ports.first())
                : Optional.of(wellKnown).filter(number -> question.scheme().isPresent() && ports.contains(number));
        return port.flatMap(number -> doors.stream()
                        .filter(door -> door.port().value() == number)
                        .findFirst())
                .orElseThrow(() -> new Unclear(
                        ports.isEmpty()
                                ? "Gateway " + plan.gateway() + " has no such listener; it has " + listed(plan)
                                : "Gateway " + plan.gateway() + " has several ports, name one with --port: "
                                        + ports.stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }

    private static String listed(GatewayPlan plan) {
        return plan.listeners().stream()
                .map(door -> door.name() + " (port " + door.port() + ")")
                .collect(Collectors.joining(", "));
    }
}
