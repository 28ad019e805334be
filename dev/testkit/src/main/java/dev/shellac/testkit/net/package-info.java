/** Places to listen at. */
@NullMarked
package dev.shellac.testkit.net;

import org.jspecify.annotations.NullMarked;
