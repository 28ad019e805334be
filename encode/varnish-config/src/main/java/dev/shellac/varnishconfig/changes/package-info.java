/** Changes of routing.json on the straight way from the operator to a pod, and how a pod knows whose they are. */
@NullMarked
package dev.shellac.varnishconfig.changes;

import org.jspecify.annotations.NullMarked;
