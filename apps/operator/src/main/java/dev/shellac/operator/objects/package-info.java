/** Gateways as objects of the cluster: plans encoded, children made, and of both no more than changed. */
@NullMarked
package dev.shellac.operator.objects;

import org.jspecify.annotations.NullMarked;
