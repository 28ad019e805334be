/**
 * Golden tests: a folder per case, its inputs in {@code in/}, what must come out in {@code out/}. Every file of a case
 * is accounted for: an input nobody read, an output nobody wrote and an expectation nobody blessed each fail. Test code
 * of any module may call this; main code never does.
 */
@NullMarked
package dev.shellac.testkit.golden;

import org.jspecify.annotations.NullMarked;
