/** Which of two matches is tried first: a comparator, clause by clause as the specification has it, and never a score. */
@NullMarked
package dev.shellac.translate.order;

import org.jspecify.annotations.NullMarked;
