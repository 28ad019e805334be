/** The only way from JSON or YAML to the records of the model. */
module dev.shellac.decode {
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.dataformat.yaml;
    requires transitive dev.shellac.model;
    requires org.yaml.snakeyaml;
    requires static org.jspecify;

    exports dev.shellac.decode;
    exports dev.shellac.decode.status;
    exports dev.shellac.decode.tree;
}
