package dev.shellac.varnishd.cli;

/** What became of a command. */
public sealed interface CliOutcome {
    /** The status of a command that was done. */
    int OK = 200;

    /** The manager's own words. */
    record Answered(int status, String text) implements CliOutcome {
        public boolean isOk() {
            return status == OK;
        }
    }

    /** It was sent, and no answer came: it was done or it was not. Read the state again; do not repeat it blindly. */
    record Unknown(String why) implements CliOutcome {}

    /** It never left: nothing happened. */
    record NotSent(String why) implements CliOutcome {}

    default boolean isDone() {
        return this instanceof Answered answered && answered.isOk();
    }

    /** In words, for a log or a status. */
    default String words() {
        return switch (this) {
            case Answered answered -> answered.text().strip();
            case Unknown unknown -> unknown.why();
            case NotSent notSent -> notSent.why();
        };
    }
}
