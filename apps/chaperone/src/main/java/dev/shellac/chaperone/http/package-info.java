/** What a pod says to those who ask: kubelet, operator, Prometheus, people. */
@NullMarked
package dev.shellac.chaperone.http;

import org.jspecify.annotations.NullMarked;
