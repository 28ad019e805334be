/** From a plan to the files of a gateway pod. */
module dev.shellac.varnishconfig {
    requires transitive dev.shellac.translate;
    requires static org.jspecify;

    exports dev.shellac.varnishconfig.changes;
    exports dev.shellac.varnishconfig.edge;
    exports dev.shellac.varnishconfig.reading;
    exports dev.shellac.varnishconfig.routing;
    exports dev.shellac.varnishconfig.table;
    exports dev.shellac.varnishconfig.vcl;
}
