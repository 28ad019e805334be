/** The one loop: whatever arrived becomes a snapshot, is translated, and goes out as configuration, then as wishes for others to write. */
@NullMarked
package dev.shellac.operator.controller;

import org.jspecify.annotations.NullMarked;
