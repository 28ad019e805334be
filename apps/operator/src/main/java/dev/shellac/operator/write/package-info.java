/** What is written beside the configuration, each by a thread of its own and the newest wish only: children, statuses, events. */
@NullMarked
package dev.shellac.operator.write;

import org.jspecify.annotations.NullMarked;
