/**
 * The Kubernetes API as far as a pod reads it: one ConfigMap and one Secret by name, the parts of both, and the EndpointSlices of some namespaces.
 * Lists and watches over plain HTTP; nothing is ever written.
 */
@NullMarked
package dev.shellac.chaperone.kube;

import org.jspecify.annotations.NullMarked;
