/** JSON as far as varnishd's programs and the router print it. Not exported. */
@NullMarked
package dev.shellac.varnishd.json;

import org.jspecify.annotations.NullMarked;
