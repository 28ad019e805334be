package dev.shellac.operator.pods;

/**
 * What a configuration is known by, in what is written and in what pods say.
 *
 * @param routing hash of routing.json
 * @param vcl hash of main.vcl
 * @param edge hash of haproxy.cfg; empty where there is none
 */
public record ConfigRevision(String routing, String vcl, String edge) {}
