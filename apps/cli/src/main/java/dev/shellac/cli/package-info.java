/**
 * The {@code shellac} command. {@link dev.shellac.cli.Main} wires it; each command is a class of its own that prints to the
 * writers it is given and returns an exit code. Decisions about Gateway API are made elsewhere: here they are shown.
 */
@NullMarked
package dev.shellac.cli;

import org.jspecify.annotations.NullMarked;
