package dev.shellac.operator.write;

import java.io.IOException;

/** The name of a child is taken by an object that is not the Gateway's own. */
public final class NotOwned extends IOException {
    private static final long serialVersionUID = 1;

    private final Ownership.Relation relation;

    NotOwned(String message, Ownership.Relation relation) {
        super(message);
        this.relation = relation;
    }

    /** Whether it stays until a person does something. */
    boolean isConflict() {
        return relation == Ownership.Relation.FOREIGN;
    }
}
