package dev.shellac.cli.explain;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.GatewayTable;
import dev.shellac.cli.analysis.Problem;
import dev.shellac.cli.explain.RequestSpec.Unclear;
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
public record GatewaySelector(FolderAnalysis analysis, Optional<Name> gateway, Optional<String> listener) {
    /**
     * Puts the question.
     *
     * @throws Unclear where several Gateways or ports could be meant
     * @throws Unserved where the listener that is meant is refused
     */
    public ExplainResult explain(RequestSpec requestSpec) {
        Optional<Problem> refused = refused(requestSpec);
        if (refused.isPresent()) {
            throw new Unserved(refused.get());
        }
        GatewayPlan plan = plan(requestSpec);
        ListenerPlan candidate = listenerOf(plan, requestSpec);
        GatewayTable table = GatewayTable.of(analysis, plan);
        var request = new Request(
                GatewayTable.socket(candidate),
                Optional.of(candidate.port().value()),
                Optional.empty(),
                requestSpec.method(),
                requestSpec.target(),
                requestSpec.headers());
        return new ExplainResult(analysis, table, request, new Explainer(table.table()).explain(request));
    }

    private Optional<Problem> refused(RequestSpec requestSpec) {
        return analysis.snapshot().all(Gateway.class).stream()
                .filter(found ->
                        gateway.isEmpty() || gateway.get().equals(found.meta().name()))
                .flatMap(found -> Stream.concat(
                        found.listeners().stream()
                                .filter(candidate -> isMeant(candidate, requestSpec))
                                .map(candidate -> analysis.problem(found.id(), candidate)),
                        sets(found)
                                .flatMap(set -> set.listeners().stream()
                                        .filter(candidate -> isMeant(candidate, requestSpec))
                                        .map(candidate -> analysis.problem(set.id(), candidate)))))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Stream<ListenerSet> sets(Gateway of) {
        return analysis.snapshot().all(ListenerSet.class).stream()
                .filter(set ->
                        set.parent().resolve(set.meta().name().namespace()).equals(of.id()));
    }

    // By its name, by its port, by its protocol, or because there is no other.
    private boolean isMeant(Listener candidate, RequestSpec requestSpec) {
        boolean named = listener.filter(candidate.name()::equals).isPresent();
        boolean fits = listener.isEmpty()
                && requestSpec
                        .port()
                        .map(port -> port == candidate.port().value())
                        .orElseGet(() -> candidate.protocol().equals("HTTPS")
                                && requestSpec.scheme().filter("https"::equals).isPresent());
        return named || fits || analysis.plans().isEmpty();
    }

    private GatewayPlan plan(RequestSpec requestSpec) {
        Collection<GatewayPlan> all = analysis.plans();
        if (all.isEmpty()) {
            throw new Unclear("no Gateway in " + analysis.folder() + " can serve; `shellac check " + analysis.folder()
                    + "` says why");
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
                        .filter(plan -> plan.listeners().stream().anyMatch(candidate -> fits(candidate, requestSpec)))
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

    private boolean fits(ListenerPlan candidate, RequestSpec requestSpec) {
        return listener.filter(name -> !name.equals(candidate.name())).isEmpty()
                && requestSpec
                        .port()
                        .filter(port -> port != candidate.port().value())
                        .isEmpty();
    }

    // Any listener of the right port will do: which one owns the request is for the table to say.
    private ListenerPlan listenerOf(GatewayPlan plan, RequestSpec requestSpec) {
        List<ListenerPlan> candidates = plan.listeners().stream()
                .filter(candidate -> fits(candidate, requestSpec))
                .toList();
        var ports = new TreeSet<Integer>();
        candidates.forEach(candidate -> ports.add(candidate.port().value()));
        int wellKnown = requestSpec.scheme().filter("https"::equals).isPresent() ? 443 : 80;
        Optional<Integer> port = ports.size() == 1
                ? Optional.of(ports.first())
                : Optional.of(wellKnown).filter(number -> requestSpec.scheme().isPresent() && ports.contains(number));
        return port.flatMap(number -> candidates.stream()
                        .filter(candidate -> candidate.port().value() == number)
                        .findFirst())
                .orElseThrow(() -> new Unclear(
                        ports.isEmpty()
                                ? "Gateway " + plan.gateway() + " has no such listener; it has " + listed(plan)
                                : "Gateway " + plan.gateway() + " has several ports, name one with --port: "
                                        + ports.stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }

    private static String listed(GatewayPlan plan) {
        return plan.listeners().stream()
                .map(candidate -> candidate.name() + " (port " + candidate.port() + ")")
                .collect(Collectors.joining(", "));
    }
}
