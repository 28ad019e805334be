/**
 * A gateway on this host: a folder is watched, translated, and served by a varnishd for each Gateway. One loop
 * ({@link dev.shellac.cli.run.Standalone}) reads and translates; each Gateway has a thread of its own that makes its varnishd serve
 * the newest plan, so that none waits for another. Configuration goes out before any status.
 */
@NullMarked
package dev.shellac.cli.run;

import org.jspecify.annotations.NullMarked;
