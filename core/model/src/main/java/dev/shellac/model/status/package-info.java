/**
 * The status of an object, as read and as decided: the same records for both. A condition that we decide has no
 * transition time, because the middle has no clock; the edge that writes it compares with what was there, and adds it.
 */
@NullMarked
package dev.shellac.model.status;

import org.jspecify.annotations.NullMarked;
