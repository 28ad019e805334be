package dev.shellac.operator.write;

import dev.shellac.model.Snapshot;
import dev.shellac.translate.resolve.LastVcl;
import dev.shellac.translate.resolve.UserVcl;

/** Who remembers the users' VCL that was last in effect. */
public interface UserVcls extends LastVcl.Store {
    /** A pod serves with this. */
    void inEffect(UserVcl vcl);

    /** Only what these objects name is remembered. */
    void retain(Snapshot snapshot);
}
