/**
 * The manager's command line: a socket, a secret, one command and one answer at a time. A connection that drops is followed by
 * another; a command that was on its way is never sent again, its outcome is said to be unknown.
 */
@NullMarked
package dev.shellac.varnishd.cli;

import org.jspecify.annotations.NullMarked;
