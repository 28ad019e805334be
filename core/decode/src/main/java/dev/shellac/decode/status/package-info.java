/** Statuses as the API writes them: the way back from records to trees. */
@NullMarked
package dev.shellac.decode.status;

import org.jspecify.annotations.NullMarked;
