/** Small servers to try a gateway with: each answers with its name and what it was asked. */
@NullMarked
package dev.shellac.cli.echo;

import org.jspecify.annotations.NullMarked;
