/**
 * What becomes of a request, and why: the router's rules once more, one route after the other, in words. The shared cases of
 * {@code ghost-core} hold both to the same answers. {@link dev.shellac.explain.Explainer} says who takes a request,
 * {@link dev.shellac.explain.Handling} what is done with it then.
 */
@NullMarked
package dev.shellac.explain;

import org.jspecify.annotations.NullMarked;
