/**
 * Which listeners a Gateway has, which of them are good, and which route attaches to which. Decided once, here; counts,
 * acceptance and programming all read the same answer.
 */
@NullMarked
package dev.shellac.translate.attach;

import org.jspecify.annotations.NullMarked;
