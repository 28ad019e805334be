/** What is wanted, written: objects applied, statuses merged into what others said. */
@NullMarked
package dev.shellac.kube.write;

import org.jspecify.annotations.NullMarked;
