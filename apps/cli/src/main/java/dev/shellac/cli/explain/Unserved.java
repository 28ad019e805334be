package dev.shellac.cli.explain;

import dev.shellac.cli.analysis.Problem;

/** The request would come to a listener that is not served, and this is why. */
public final class Unserved extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Problem problem;

    Unserved(Problem problem) {
        super(problem.toString());
        this.problem = problem;
    }

    /** As {@code shellac check} has it. */
    public Problem problem() {
        return problem;
    }
}
