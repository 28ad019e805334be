package dev.shellac.operator;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.Reading;
import dev.shellac.operator.write.EventRecorder.Entry;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.resolve.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Reports when the certificates of listeners expire: when Gateways or Secrets changed, and every ten minutes. */
final class CertificateExpiryMonitor {
    private static final Duration CERTIFICATES_EVERY = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofDays(14);

    private final OperatorMetrics metrics;
    private final Consumer<Entry> recorder;
    private PersistentMap<Name, GatewayStatus> gateways = PersistentMap.empty();
    private Snapshot secrets = Snapshot.empty();
    private Instant checked = Instant.EPOCH;

    CertificateExpiryMonitor(OperatorMetrics metrics, Consumer<Entry> recorder) {
        this.metrics = metrics;
        this.recorder = recorder;
    }

    void update(Snapshot snapshot, Outcome outcome, Instant now) {
        PersistentMap<Name, GatewayStatus> statuses =
                PersistentMap.of(outcome.statuses().gateways());
        boolean due = !statuses.changesSince(gateways).isEmpty()
                || checked.plus(CERTIFICATES_EVERY).isBefore(now)
                || !snapshot.changesSince(secrets, SecretObject.class).isEmpty();
        gateways = statuses;
        if (due) {
            check(snapshot, outcome, now);
            secrets = snapshot;
            checked = now;
        }
    }

    private void check(Snapshot snapshot, Outcome outcome, Instant now) {
        Set<ResourceId> used = new TreeSet<>();
        outcome.plans()
                .values()
                .forEach(plan -> plan.listeners().forEach(listener -> used.addAll(listener.certificates())));
        var readings = new ArrayList<Reading>();
        for (ResourceId id : used) {
            Optional<SecretObject> secret = snapshot.find(SecretObject.class, id.name());
            Optional<Instant> end = secret.flatMap(CertificateExpiryMonitor::end);
            if (secret.isPresent() && end.isPresent()) {
                Duration left = Duration.between(now, end.get());
                readings.add(new Reading(id.namespace(), id.name().name(), left.toSeconds()));
                if (left.compareTo(SOON) < 0) {
                    recorder.accept(new Entry(
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
