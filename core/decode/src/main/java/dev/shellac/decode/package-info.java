/**
 * Text in, records out: {@link dev.shellac.decode.Decoder} reads files of YAML or JSON, applies the defaults and rules of
 * the CRDs, and names whatever it could not take with file and line. It is the only decoder: the command line, the
 * operator and the tests all come through it. A mistake in a file is a {@link dev.shellac.decode.Finding}, never an
 * exception.
 */
@NullMarked
package dev.shellac.decode;

import org.jspecify.annotations.NullMarked;
