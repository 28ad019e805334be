/** From all objects of one moment to a plan for each Gateway and a status for each object. */
module dev.shellac.translate {
    requires re2j;
    requires transitive dev.shellac.model;
    requires static org.jspecify;

    exports dev.shellac.translate;
    exports dev.shellac.translate.attach;
    exports dev.shellac.translate.order;
    exports dev.shellac.translate.plan;
    exports dev.shellac.translate.print;
    exports dev.shellac.translate.resolve;
    exports dev.shellac.translate.status;
}
