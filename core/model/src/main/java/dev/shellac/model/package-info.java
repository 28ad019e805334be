/**
 * Names, values and the {@link dev.shellac.model.Snapshot} that holds every object of one moment. All of it is immutable
 * and compared by content, so that "nothing changed" is a question of equality. A value that exists is valid: text is
 * parsed at the edge, by the decoder.
 */
@NullMarked
package dev.shellac.model;

import org.jspecify.annotations.NullMarked;
