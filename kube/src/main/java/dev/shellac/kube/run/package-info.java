/** Threads that last. */
@NullMarked
package dev.shellac.kube.run;

import org.jspecify.annotations.NullMarked;
