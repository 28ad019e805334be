package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.plan.RouteAge;
import dev.shellac.translate.plan.TableSizes;
import dev.shellac.translate.plan.TableSizes.Share;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes down what routes take of the tables of their Gateways, and decides which have room. A change of one route costs the same among any number
 * of others, until the table is so full that the change decides about them.
 */
final class TableRoomEdit {
    private final SnapshotDelta delta;
    private final TableRoom before;
    private PersistentMap<Name, TableSizes> sizes;
    private PersistentMap<Name, PersistentMap<String, Share>> shares;
    private final Set<Name> changed = new TreeSet<>();

    TableRoomEdit(SnapshotDelta delta, TableRoom before) {
        this.delta = delta;
        this.before = before;
        this.sizes = before.sizes();
        this.shares = before.shares();
    }

    void replace(Optional<TranslatedRoute> last, Optional<MeasuredRoute> next) {
        Optional<RouteAge> lastAge = last.map(found -> MeasuredRoute.age(found.route()));
        Optional<RouteAge> nextAge = next.map(found -> MeasuredRoute.age(found.route()));
        Map<Name, Long> lastSizes =
                last.<Map<Name, Long>>map(TranslatedRoute::sizes).orElse(Map.of());
        Map<Name, Long> nextSizes =
                next.<Map<Name, Long>>map(MeasuredRoute::sizes).orElse(Map.of());
        if (lastAge.equals(nextAge) && lastSizes.equals(nextSizes)) {
            return;
        }
        lastAge.ifPresent(age ->
                lastSizes.keySet().forEach(gateway -> put(gateway, of(gateway).without(age))));
        nextAge.ifPresent(age ->
                nextSizes.forEach((gateway, size) -> put(gateway, of(gateway).with(age, size))));
    }

    private TableSizes of(Name gateway) {
        return Optional.ofNullable(sizes.get(gateway)).orElse(TableSizes.NONE);
    }

    private void put(Name gateway, TableSizes next) {
        changed.add(gateway);
        sizes = next.namespaces().isEmpty() ? sizes.without(gateway) : sizes.with(gateway, next);
    }

    /** Decides anew; the routes that fare differently because of others, those that are no more not included. */
    Set<Name> settle() {
        if (delta.rebound()) {
            changed.addAll(sizes.keySet());
        }
        var others = new HashSet<Name>();
        for (Name gateway : changed) {
            PersistentMap<String, Share> next = delta.now()
                    .budget(gateway)
                    .map(budget -> of(gateway).shares(budget))
                    .orElseGet(PersistentMap::empty);
            for (var change : next.changesSince(before.sharesOf(gateway))) {
                concerned(gateway, change.key(), List.of(change.before(), change.after()), others);
            }
            shares = next.isEmpty() ? shares.without(gateway) : shares.with(gateway, next);
        }
        return others;
    }

    // Where the share is another one, every refusal names another number.
    private void concerned(Name gateway, String namespace, List<Optional<Share>> cuts, Set<Name> others) {
        Optional<TableSizes.Sizes> found =
                Optional.ofNullable(of(gateway).namespaces().get(namespace));
        List<Share> there = cuts.stream().flatMap(Optional::stream).toList();
        RouteAge from =
                there.stream().map(Share::first).min(RouteAge::compareTo).orElseThrow();
        boolean isSameShare =
                there.size() == 2 && there.getFirst().bytes() == there.getLast().bytes();
        Optional<RouteAge> to =
                isSameShare ? there.stream().map(Share::first).max(RouteAge::compareTo) : Optional.empty();
        found.map(TableSizes.Sizes::routes)
                .map(routes -> to.map(end -> routes.between(from, end)).orElseGet(() -> routes.from(from)))
                .orElse(List.of())
                .forEach(entry -> others.add(entry.getKey().route()));
    }

    TableRoom room() {
        return new TableRoom(sizes, shares);
    }

    /** The attachments of a route, refused where the Gateway has no room for it. */
    List<Attachment> admitted(MeasuredRoute route) {
        if (route.sizes().keySet().stream()
                .allMatch(gateway -> refusal(route, gateway).isEmpty())) {
            return route.attachments();
        }
        return route.attachments().stream()
                .map(attachment -> attachment.refusal().isPresent()
                        ? attachment
                        : attachment
                                .gateway()
                                .flatMap(gateway -> refusal(route, gateway))
                                .map(attachment::refused)
                                .orElse(attachment))
                .toList();
    }

    private Optional<Refusal> refusal(MeasuredRoute measured, Name gateway) {
        RouteAge age = MeasuredRoute.age(measured.route());
        Long size = measured.sizes().get(gateway);
        PersistentMap<String, Share> ofGateway = shares.get(gateway);
        if (size == null || ofGateway == null) {
            return Optional.empty();
        }
        String namespace = age.route().namespace();
        return Optional.ofNullable(ofGateway.get(namespace))
                .filter(share -> share.refuses(age))
                .map(
                        share -> new Refusal(
                                Reason.UNSUPPORTED_VALUE,
                                "the pods of Gateway " + gateway + " have no room for this route: it takes up to "
                                        + size
                                        + " bytes of their table, and together with the older routes of namespace "
                                        + namespace
                                        + " more than " + share.bytes() + ", the namespace's share of "
                                        + delta.now()
                                                .budget(gateway)
                                                .orElseThrow()
                                                .bytes()
                                        + ": delete routes of the namespace or make them smaller, or give the pods more memory"));
    }
}
