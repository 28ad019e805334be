/** routing.json, read back in a pod. What did not change since the last time is not read again. The chaperone calls it. */
@NullMarked
package dev.shellac.varnishconfig.reading;

import org.jspecify.annotations.NullMarked;
