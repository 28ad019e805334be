package dev.shellac.operator;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.Reading;
import dev.shellac.operator.loop.Loop;
import dev.shellac.operator.write.EventDesk.Note;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.resolve.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Looks over the outcome of each turn for the metrics, at the cost of what changed; and over certificates now and then. */
final class Survey {
    private static final Duration CERTIFICATES_EVERY = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofDays(14);

    private final OperatorMetrics metrics;
    private final Consumer<Note> teller;
    private Outcome last = Outcome.EMPTY;
    private Snapshot secrets = Snapshot.empty();
    private Instant looked = Instant.EPOCH;
    private int refused;

    Survey(OperatorMetrics metrics, Consumer<Note> teller) {
        this.metrics = metrics;
        this.teller = teller;
    }

    void look(Loop loop, Instant now) {
        Outcome outcome = loop.outcome();
        for (Change<Name, RouteStatus> change : PersistentMap.of(
                        outcome.statuses().httpRoutes())
                .changesSince(PersistentMap.of(last.statuses().httpRoutes()))) {
            refused += (isRefused(change.after()) ? 1 : 0) - (isRefused(change.before()) ? 1 : 0);
        }
        metrics.holds(
                outcome.statuses().gateways().size(),
                outcome.statuses().httpRoutes().size(),
                refused);
        boolean anyGateway = !PersistentMap.of(outcome.statuses().gateways())
                .changesSince(PersistentMap.of(last.statuses().gateways()))
                .isEmpty();
        if (anyGateway) {
            gateways(outcome);
        }
        last = outcome;
        boolean due = anyGateway
                || looked.plus(CERTIFICATES_EVERY).isBefore(now)
                || !loop.snapshot().changesSince(secrets, SecretObject.class).isEmpty();
        if (due) {
            certificates(loop.snapshot(), outcome, now);
            secrets = loop.snapshot();
            looked = now;
        }
    }

    private static boolean isRefused(Optional<RouteStatus> status) {
        return status.stream()
                .flatMap(found -> found.parents().stream())
                .flatMap(parent -> parent.conditions().conditions().stream())
                .anyMatch(condition -> condition.type().equals("PartiallyInvalid")
                        ? condition.holds()
                        : condition.state() == Condition.State.FALSE);
    }

    private void gateways(Outcome outcome) {
        var programmed = new ArrayList<Reading>();
        var attached = new ArrayList<Reading>();
        outcome.statuses().gateways().forEach((name, status) -> {
            boolean serves = status.conditions()
                    .find("Programmed")
                    .filter(Condition::holds)
                    .isPresent();
            programmed.add(new Reading(name.namespace(), name.name(), serves ? 1 : 0));
            attached.add(new Reading(
                    name.namespace(),
                    name.name(),
                    status.listeners().stream()
                            .mapToInt(ListenerStatus::attachedRoutes)
                            .sum()));
        });
        metrics.gateways(programmed, attached);
    }

    private void certificates(Snapshot snapshot, Outcome outcome, Instant now) {
        Set<ResourceId> used = new TreeSet<>();
        outcome.plans()
                .values()
                .forEach(plan -> plan.listeners().forEach(listener -> used.addAll(listener.certificates())));
        var readings = new ArrayList<Reading>();
        for (ResourceId id : used) {
            Optional<SecretObject> secret = snapshot.find(SecretObject.class, id.name());
            Optional<Instant> end = secret.flatMap(Survey::end);
            if (secret.isPresent() && end.isPresent()) {
                Duration left = Duration.between(now, end.get());
                readings.add(new Reading(id.namespace(), id.name().name(), left.toSeconds()));
                if (left.compareTo(SOON) < 0) {
                    teller.accept(new Note(
                            new ResourceId(GroupKind.SECRET, id.name()),
                            "v1",
                            secret.get().meta().uid(),
                            "Warning",
                            left.isNegative() ? "CertificateExpired" : "CertificateExpiresSoon",
                            "the certificate " + (left.isNegative() ? "expired on " : "expires on ") + end.get()));
                }
            }
        }
        metrics.expiry(readings);
    }

    // A chain is good for as long as the first of its certificates to expire; one that cannot be used is the listener's
    // status to say.
    private static Optional<Instant> end(SecretObject secret) {
        return KeyPair.of(secret) instanceof KeyPair.Good good ? Optional.of(good.notAfter()) : Optional.empty();
    }
}
