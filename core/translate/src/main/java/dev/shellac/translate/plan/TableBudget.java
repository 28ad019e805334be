package dev.shellac.translate.plan;

/**
 * How many bytes of routing.json the routes of one Gateway may take.
 *
 * @param home the Gateway's own namespace, which may use all of it; any other may use half
 * @param bytes what its pods have memory for
 */
public record TableBudget(String home, long bytes) {
    long of(String namespace) {
        return namespace.equals(home) ? bytes : ofAnother();
    }

    long ofAnother() {
        return bytes / 2;
    }
}
