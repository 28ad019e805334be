package dev.shellac.chaperone.kube;

import java.io.IOException;

/** The API server answered, but not with what was asked for. */
final class ApiFault extends IOException {
    private static final long serialVersionUID = 1;
    private static final int FORBIDDEN = 403;
    private static final int GONE = 410;

    private final int status;

    ApiFault(int status, String message) {
        super(message);
        this.status = status;
    }

    /** What was asked for is too old to be told: everything has to be listed again. */
    boolean isGone() {
        return status == GONE;
    }

    boolean isForbidden() {
        return status == FORBIDDEN;
    }
}
