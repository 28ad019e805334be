/** The input objects and the values that they are made of. */
module dev.shellac.model {
    requires static transitive org.jspecify;

    exports dev.shellac.model;
    exports dev.shellac.model.core;
    exports dev.shellac.model.gateway;
    exports dev.shellac.model.policy;
    exports dev.shellac.model.route;
    exports dev.shellac.model.persistent;
    exports dev.shellac.model.status;
}
