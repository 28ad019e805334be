/** The router's control socket: have it load its table, and read what it says about that. */
@NullMarked
package dev.shellac.varnishd.ghost;

import org.jspecify.annotations.NullMarked;
