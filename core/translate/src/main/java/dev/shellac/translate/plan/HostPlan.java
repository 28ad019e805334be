package dev.shellac.translate.plan;

import dev.shellac.model.Hostname;
import dev.shellac.model.persistent.PersistentList;

/** All matches below the hostname that routes asked for, in the order in which they are tried. */
public record HostPlan(Hostname hostname, PersistentList<RoutePlan> routes) {}
