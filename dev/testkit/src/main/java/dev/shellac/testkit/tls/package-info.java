/** Certificates for tests of TLS, made anew for each run: none of them is in the repository, and none of them expires there. */
@NullMarked
package dev.shellac.testkit.tls;

import org.jspecify.annotations.NullMarked;
