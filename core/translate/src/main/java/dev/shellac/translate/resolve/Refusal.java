package dev.shellac.translate.resolve;

import dev.shellac.model.status.MessageText;

/** A user's mistake: why something is not done, in words that help to mend it. */
public record Refusal(Reason reason, String message) {
    public Refusal {
        message = MessageText.cut(message);
    }
}
