package dev.shellac.chaperone;

import java.util.List;

/** The environment says what cannot be done. One line for each mistake. */
final class BadSettings extends Exception {
    private static final long serialVersionUID = 1;

    BadSettings(List<String> mistakes) {
        super(String.join("\n", mistakes));
    }
}
