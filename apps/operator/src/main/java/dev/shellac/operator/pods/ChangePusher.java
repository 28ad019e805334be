package dev.shellac.operator.pods;

import dev.shellac.varnishconfig.changes.ChangeSet;

/** Brings changes straight to pods, while they are not written down yet. */
public interface ChangePusher {
    /** For what is brought or written next: higher than all before. */
    ChangeSet.Revision nextRevision();

    /**
     * Brings changes to the pods of a Gateway, and does not wait until they have them.
     *
     * @param lost called on another thread when one of the pods that serve does not take it
     * @return false where one of the pods that serve can only be reached by what is written
     */
    boolean push(PodRegistry.Key gateway, ChangeSet changeSet, Runnable lost);
}
