/**
 * What becomes of one request: the question as it is typed, the Gateway and table that it is put to, and the answer in words, as
 * JSON and in one line. The matching itself is in {@code dev.shellac.explain}.
 */
@NullMarked
package dev.shellac.cli.explain;

import org.jspecify.annotations.NullMarked;
