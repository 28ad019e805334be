/** What the process says of itself: health, readiness, metrics. */
@NullMarked
package dev.shellac.operator.http;

import org.jspecify.annotations.NullMarked;
