/** How answers look: tables and colours for people, JSON for programs. */
@NullMarked
package dev.shellac.cli.show;

import org.jspecify.annotations.NullMarked;
