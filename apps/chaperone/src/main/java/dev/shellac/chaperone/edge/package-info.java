/**
 * HAProxy, where a Gateway has TLS: one thread that keeps the newest configuration and certificates in use that HAProxy takes, each
 * in a process of its own, which gets the sockets of the one before. No certificate takes another down.
 */
@NullMarked
package dev.shellac.chaperone.edge;

import org.jspecify.annotations.NullMarked;
