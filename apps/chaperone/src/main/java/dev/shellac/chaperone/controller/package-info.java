/**
 * What is live, and the one loop that makes it so: configuration and endpoints in, a table and a VCL into varnishd, and a state that says
 * what came of it.
 */
@NullMarked
package dev.shellac.chaperone.controller;

import org.jspecify.annotations.NullMarked;
