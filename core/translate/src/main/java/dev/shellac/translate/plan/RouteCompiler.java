package dev.shellac.translate.plan;

import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.Rule;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.plan.FilterPlan.MirrorPlan;
import dev.shellac.translate.plan.RoutePlan.Action;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.CacheRules;
import dev.shellac.translate.resolve.NormalPath;
import dev.shellac.translate.resolve.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Compiles one route. What it gives depends on the task alone. */
public final class RouteCompiler {
    private final RouteTask task;
    private final List<Optional<Refusal>> refusals;

    private RouteCompiler(RouteTask task) {
        this.task = task;
        this.refusals = task.rules().stream().map(RuleCheck::refusal).toList();
    }

    public static CompiledRoute compile(RouteTask task) {
        var compiler = new RouteCompiler(task);
        Optional<Refusal> tooLarge = RouteSize.refusal(task);
        return tooLarge.isPresent()
                ? new CompiledRoute(tooLarge, Optional.empty(), compiler.refs(), Map.of())
                : compiler.compile();
    }

    private CompiledRoute compile() {
        List<Refusal> all = refusals.stream().flatMap(Optional::stream).toList();
        boolean nothingLeft = !all.isEmpty() && all.size() == refusals.size();
        return new CompiledRoute(
                nothingLeft ? Optional.of(new Refusal(all.getFirst().reason(), dropped())) : Optional.empty(),
                nothingLeft || all.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new Refusal(
                                all.getFirst().reason(), dropped() + " (requests for this rule are answered 500)")),
                refs(),
                nothingLeft ? Map.of() : plans());
    }

    // Gateway API, PartiallyInvalid: the message of a dropped rule starts with these words.
    private String dropped() {
        List<Integer> dropped = IntStream.range(0, refusals.size())
                .filter(index -> refusals.get(index).isPresent())
                .boxed()
                .toList();
        return MessageText.list(
                "; ",
                dropped,
                index -> "Dropped Rule " + index
                        + task.rules()
                                .get(index)
                                .name()
                                .map(name -> " (" + name + ")")
                                .orElse("")
                        + ": " + refusals.get(index).orElseThrow().message());
    }

    private Optional<Refusal> refs() {
        List<Refusal> broken = task.rules().stream()
                .flatMap(RouteCompiler::references)
                .map(task::backend)
                .flatMap(backend ->
                        backend instanceof Backend.Refused refused ? Stream.of(refused.why()) : Stream.empty())
                .distinct()
                .toList();
        return broken.stream()
                .findFirst()
                .map(first -> broken.size() == 1
                        ? first
                        : new Refusal(first.reason(), first.message() + " (and " + (broken.size() - 1) + " more)"));
    }

    /** Every reference to a backend that a rule holds. */
    public static Stream<BackendRef> references(Rule rule) {
        return Stream.concat(
                rule.backends().stream(),
                rule.filters().stream()
                        .flatMap(filter ->
                                filter instanceof Filter.Mirror mirror ? Stream.of(mirror.backend()) : Stream.empty()));
    }

    private Map<Name, Map<Hostname, List<RoutePlan>>> plans() {
        var plans = new TreeMap<Name, Map<Hostname, List<RoutePlan>>>();
        task.placements().forEach((gateway, placement) -> {
            List<Action> actions = actions(placement);
            var hosts = new TreeMap<Hostname, List<RoutePlan>>();
            placement.listeners().forEach((hostname, listeners) -> hosts.put(hostname, matches(actions, listeners)));
            plans.put(gateway, hosts);
        });
        return plans;
    }

    private List<RoutePlan> matches(List<Action> actions, List<String> listeners) {
        var matches = new ArrayList<RoutePlan>();
        for (int r = 0; r < task.rules().size(); r++) {
            Rule rule = task.rules().get(r);
            for (int m = 0; m < rule.matches().size(); m++) {
                Match match = rule.matches().get(m);
                if (refusals.get(r).isEmpty() || RuleCheck.fault(match).isEmpty()) {
                    var origin = new Origin(task.route(), task.created(), r, rule.name(), m);
                    matches.add(new RoutePlan(origin, NormalPath.of(match), listeners, actions.get(r)));
                }
            }
        }
        return List.copyOf(matches);
    }

    // A refused rule keeps its matches and answers 500. Left out, its requests would fall to a wider rule, past the
    // filter that was asked for.
    private List<Action> actions(RouteTask.Placement placement) {
        var actions = new ArrayList<Action>();
        for (int i = 0; i < task.rules().size(); i++) {
            Rule rule = task.rules().get(i);
            Optional<CacheRules> cache = task.caches().get(i).or(placement::cache);
            actions.add(refusals.get(i)
                    .<Action>map(Action.Refuse::new)
                    .orElseGet(() -> new Action.Serve(
                            filters(rule.filters()), shares(rule), rule.timeouts(), rule.retry(), cache)));
        }
        return actions;
    }

    private List<BackendShare> shares(Rule rule) {
        var shares = new ArrayList<BackendShare>();
        for (int i = 0; i < rule.backends().size(); i++) {
            BackendRef ref = rule.backends().get(i);
            shares.add(new BackendShare(i, ref.weight(), task.backend(ref), filters(ref.filters())));
        }
        return shares;
    }

    private FilterPlan filters(List<Filter> filters) {
        HeaderEdits request = HeaderEdits.NONE;
        HeaderEdits response = HeaderEdits.NONE;
        Optional<Filter.Rewrite> rewrite = Optional.empty();
        Optional<Filter.Redirect> redirect = Optional.empty();
        Optional<Filter.Cors> cors = Optional.empty();
        var mirrors = new ArrayList<MirrorPlan>();
        for (Filter filter : filters) {
            switch (filter) {
                case Filter.RequestHeaders headers -> request = headers.edits();
                case Filter.ResponseHeaders headers -> response = headers.edits();
                case Filter.Rewrite found -> rewrite = Optional.of(found);
                case Filter.Redirect found -> redirect = Optional.of(found);
                case Filter.Cors found -> cors = Optional.of(found);
                case Filter.Mirror mirror -> {
                    // A mirror that leads nowhere is left out: the client's request does not depend on it.
                    if (task.backend(mirror.backend()) instanceof Backend.Serving serving) {
                        mirrors.add(new MirrorPlan(serving, mirror.share()));
                    }
                }
                case Filter.Extension refused -> throw new IllegalStateException("unchecked " + refused);
                case Filter.ExternalAuth refused -> throw new IllegalStateException("unchecked " + refused);
            }
        }
        return new FilterPlan(request, response, rewrite, redirect, cors, mirrors);
    }
}
