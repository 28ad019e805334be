/** What references lead to, and why some lead nowhere. A reference into another namespace needs a grant, even to learn that nothing is there. */
@NullMarked
package dev.shellac.translate.resolve;

import org.jspecify.annotations.NullMarked;
