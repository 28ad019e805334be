package dev.shellac.model.gateway;

/** Whether a Gateway is one of the default Gateways, or a route wants to attach to them. */
public enum DefaultScope {
    ALL,
    NONE
}
