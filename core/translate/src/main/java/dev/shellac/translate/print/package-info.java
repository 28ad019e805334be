/** Plans and statuses as canonical text, for people and for goldens: one text for each value. */
@NullMarked
package dev.shellac.translate.print;

import org.jspecify.annotations.NullMarked;
