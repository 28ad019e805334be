package dev.shellac.translate.resolve;

/** A user's mistake: why something is not done, in words that help to mend it. */
public record Refusal(Reason reason, String message) {}
