/**
 * The objects that a Gateway has in the cluster, as a function of the Gateway, its parameters and its plan: no clock, no client, no file. An
 * object that is wanted is in the list; one of ours that is not in the list any more is to be deleted. The operator's writers call it.
 */
@NullMarked
package dev.shellac.operator.children;

import org.jspecify.annotations.NullMarked;
