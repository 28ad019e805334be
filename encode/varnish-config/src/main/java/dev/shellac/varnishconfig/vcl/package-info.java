/** The VCL of a gateway: ours around the user's. Whoever loads VCL calls it. */
@NullMarked
package dev.shellac.varnishconfig.vcl;

import org.jspecify.annotations.NullMarked;
