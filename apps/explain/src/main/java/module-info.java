/** What becomes of a request by ghost.json, and why. */
module dev.shellac.explain {
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;
    requires re2j;
    requires static org.jspecify;

    exports dev.shellac.explain;
    exports dev.shellac.explain.request;
    exports dev.shellac.explain.table;
}
