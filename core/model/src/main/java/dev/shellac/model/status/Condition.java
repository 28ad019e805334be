package dev.shellac.model.status;

import java.util.Optional;

/**
 * One condition. The transition time is the text that was read, so that a foreign condition is written back as it was;
 * one that we decide has none yet.
 */
public record Condition(
        String type, State state, String reason, String message, long observedGeneration, Optional<String> since) {
    /** The three states of a condition, printed as the API writes them. */
    public enum State {
        TRUE("True"),
        FALSE("False"),
        UNKNOWN("Unknown");

        private final String text;

        State(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public boolean holds() {
        return state == State.TRUE;
    }
}
