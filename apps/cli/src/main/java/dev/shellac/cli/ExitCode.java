package dev.shellac.cli;

import java.util.List;

/** What the command says to the shell. */
public final class ExitCode {
    /** All is well. */
    public static final int OK = 0;
    /** Something was refused, or the request that was asked about is not served. */
    public static final int REFUSED = 1;
    /** The command line is not one. */
    public static final int USAGE = 2;
    /** A mistake of ours. */
    public static final int FAULT = 3;

    static final List<String> WORDS = List.of(
            "0:all is well",
            "1:something was refused, or is not served",
            "2:the command line cannot be understood",
            "3:a fault in shellac itself");

    private ExitCode() {}
}
