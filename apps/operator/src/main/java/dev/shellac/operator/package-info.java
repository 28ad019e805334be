/** The operator: its configuration, and the wires between what is watched, what is made of it, and what is written. */
@NullMarked
package dev.shellac.operator;

import org.jspecify.annotations.NullMarked;
