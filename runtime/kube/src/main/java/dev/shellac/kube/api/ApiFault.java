package dev.shellac.kube.api;

import java.io.IOException;

/** The API server's refusal. */
public final class ApiFault extends IOException {
    private static final long serialVersionUID = 1;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int GONE = 410;

    private final int code;
    private final String reason;

    public ApiFault(int code, String reason, String message) {
        super(message.isEmpty() ? "HTTP " + code : message);
        this.code = code;
        this.reason = reason;
    }

    public int code() {
        return code;
    }

    /** The place that a watch wants to go on from is forgotten, or the list that is being paged is. */
    public boolean isGone() {
        return code == GONE;
    }

    public boolean isNotFound() {
        return code == NOT_FOUND;
    }

    /** Somebody else was faster. */
    public boolean isConflict() {
        return code == CONFLICT && !reason.equals("AlreadyExists");
    }

    public boolean isAlreadyThere() {
        return code == CONFLICT && reason.equals("AlreadyExists");
    }

    /** Nothing that is tried again would make it better: what was sent is not taken. */
    public boolean isFinal() {
        return code == 400 || code == 403 || code == 405 || code == 413 || code == 422;
    }
}
