/** Kinds listed and watched: what is decoded is kept as records by whoever listens, and nothing is kept here but names. */
@NullMarked
package dev.shellac.kube.watch;

import org.jspecify.annotations.NullMarked;
