package dev.shellac.varnishd;

import dev.shellac.varnishd.ghost.ReloadAnswer;

/** Who wants to know what happens to a varnishd. Called on threads of the varnishd's; do not block for long. */
public interface VarnishdOwner {
    /**
     * The manager is gone, and so is everything that it served. Not called when we stopped it.
     *
     * @param lastWords what it said was wrong, or empty
     */
    void exited(int status, String lastWords);

    /**
     * The process that serves died and was started again; its cache is empty. The VCL in use was checked, and ghost was asked to
     * load its table.
     */
    void childRestarted(ReloadAnswer reload);
}
