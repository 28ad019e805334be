/** What routing.json and ghost.json say in the same words. Only the encoders of this module call it. */
@NullMarked
package dev.shellac.varnishconfig.wire;

import org.jspecify.annotations.NullMarked;
