/** A varnishd that this process started, and all that is said to it. */
module dev.shellac.varnishd {
    requires com.fasterxml.jackson.core;
    requires static org.jspecify;

    exports dev.shellac.varnishd;
    exports dev.shellac.varnishd.cli;
    exports dev.shellac.varnishd.ghost;
}
