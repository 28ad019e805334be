/**
 * What a CRD says about its objects, as values: fields, types, limits, defaults, and rules over several fields. One walk
 * over a tree and a shape finds everything that is wrong and fills in what was left out.
 */
@NullMarked
package dev.shellac.decode.schema;

import org.jspecify.annotations.NullMarked;
