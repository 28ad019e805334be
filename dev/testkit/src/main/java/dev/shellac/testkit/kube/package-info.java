/** An API server in memory, over a real socket: objects are stored, listed, watched and patched as Kubernetes does it, and every write is counted. */
@NullMarked
package dev.shellac.testkit.kube;

import org.jspecify.annotations.NullMarked;
