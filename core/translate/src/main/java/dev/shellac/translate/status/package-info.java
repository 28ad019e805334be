/**
 * The words for every object: conditions with a reason and a sentence to act on. Entries and conditions of others are
 * kept as they were read.
 */
@NullMarked
package dev.shellac.translate.status;

import org.jspecify.annotations.NullMarked;
