/** The shape of each kind, and the way from a tree of that shape to its record. */
@NullMarked
package dev.shellac.decode.kind;

import org.jspecify.annotations.NullMarked;
