/** The Kubernetes API as records and wishes: what is watched comes out decoded, what is wanted goes in as written. No decision is made here. */
@NullMarked
package dev.shellac.kube;

import org.jspecify.annotations.NullMarked;
