/**
 * ghost.json as records, with every default of the format filled in. {@link dev.shellac.explain.table.TableReader} trusts its
 * input as far as single routes go: what the data plane refuses of a table is for the data plane to say, and is handed in.
 */
@NullMarked
package dev.shellac.explain.table;

import org.jspecify.annotations.NullMarked;
