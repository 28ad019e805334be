/** The process of a gateway pod: its configuration, and the wires between its parts. */
@NullMarked
package dev.shellac.chaperone;

import org.jspecify.annotations.NullMarked;
