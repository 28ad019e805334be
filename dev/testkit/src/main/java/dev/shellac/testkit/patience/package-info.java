/** Waiting for what other threads and processes do. */
@NullMarked
package dev.shellac.testkit.patience;

import org.jspecify.annotations.NullMarked;
