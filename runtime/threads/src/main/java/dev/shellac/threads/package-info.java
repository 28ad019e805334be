/** Threads that last. */
@NullMarked
package dev.shellac.threads;

import org.jspecify.annotations.NullMarked;
