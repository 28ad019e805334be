package dev.shellac.translate.plan;

import dev.shellac.translate.resolve.Backend;

/**
 * A backend of a rule and its part of the requests, also where that part is answered with 500.
 *
 * @param index its place in the rule
 */
public record BackendShare(int index, int weight, Backend backend, FilterPlan filters) {}
