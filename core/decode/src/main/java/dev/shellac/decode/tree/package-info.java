/** Parsed text in which every part knows its file and line. Knows nothing of Kubernetes. */
@NullMarked
package dev.shellac.decode.tree;

import org.jspecify.annotations.NullMarked;
