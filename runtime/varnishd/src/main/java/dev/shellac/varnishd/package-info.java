/**
 * A varnishd as a child of this process: started, watched, told what to serve, and stopped without a trace.
 * {@link dev.shellac.varnishd.Varnishd} is the whole of it. What varnishd refuses is a value; nothing is ever said twice
 * because an answer was lost: the state is read again instead. Blocking calls, for virtual threads.
 */
@NullMarked
package dev.shellac.varnishd;

import org.jspecify.annotations.NullMarked;
