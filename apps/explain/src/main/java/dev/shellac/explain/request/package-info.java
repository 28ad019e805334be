/** A request as a router sees it: cut, compared without case where HTTP says so, never decoded. */
@NullMarked
package dev.shellac.explain.request;

import org.jspecify.annotations.NullMarked;
