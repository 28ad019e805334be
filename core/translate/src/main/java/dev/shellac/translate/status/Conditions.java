package dev.shellac.translate.status;

import dev.shellac.model.status.Condition;
import dev.shellac.model.status.Condition.State;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.Optional;
import java.util.Set;

/** Makes conditions of one generation. */
record Conditions(long generation) {
    static final String ACCEPTED = "Accepted";
    static final String PROGRAMMED = "Programmed";
    static final String RESOLVED_REFS = "ResolvedRefs";
    static final String CONFLICTED = "Conflicted";
    static final String OVERLAPPING = "OverlappingTLSConfig";
    static final String PARTIALLY_INVALID = "PartiallyInvalid";
    static final String INSECURE = "InsecureFrontendValidationMode";

    /** The types that we decide on a Gateway, a ListenerSet and their listeners; all others belong to somebody else. */
    static final Set<String> OURS = Set.of(ACCEPTED, PROGRAMMED, RESOLVED_REFS, CONFLICTED, OVERLAPPING, INSECURE);

    Condition yes(String type, Reason reason, String message) {
        return condition(type, State.TRUE, reason, message);
    }

    Condition no(String type, Refusal why) {
        return condition(type, State.FALSE, why.reason(), why.message());
    }

    Condition no(String type, Reason reason, String message) {
        return condition(type, State.FALSE, reason, message);
    }

    /** False with the refusal, or true. */
    Condition unless(String type, Optional<Refusal> refusal, Reason reason, String message) {
        return refusal.map(why -> no(type, why)).orElseGet(() -> yes(type, reason, message));
    }

    Condition resolvedRefs(Optional<Refusal> refusal) {
        return unless(RESOLVED_REFS, refusal, Reason.RESOLVED_REFS, "all references resolved");
    }

    private Condition condition(String type, State state, Reason reason, String message) {
        return new Condition(type, state, reason.toString(), MessageText.cut(message), generation, Optional.empty());
    }
}
