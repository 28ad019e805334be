/** Requests to the API server and what may become of them, on the transport and the credentials of fabric8. */
@NullMarked
package dev.shellac.kube.api;

import org.jspecify.annotations.NullMarked;
