package dev.shellac.operator.write;

import java.io.IOException;

/** The name of a child is taken by an object that is not the Gateway's own. */
public final class NotOwned extends IOException {
    private static final long serialVersionUID = 1;

    NotOwned(String message) {
        super(message);
    }
}
