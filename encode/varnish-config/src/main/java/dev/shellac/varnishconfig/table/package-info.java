/** The table that ghost serves from: a plan, its endpoints and the sockets, as ghost.json. Whoever writes the file calls it. */
@NullMarked
package dev.shellac.varnishconfig.table;

import org.jspecify.annotations.NullMarked;
