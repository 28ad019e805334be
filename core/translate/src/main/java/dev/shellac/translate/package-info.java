/**
 * The heart: {@link dev.shellac.translate.Translator} turns a snapshot into an {@link dev.shellac.translate.Outcome}, in
 * five steps with a package each: attach, resolve, order, plan, status. Pure: equal snapshots give equal outcomes, and
 * what a translator remembers changes only how much work it does. A user's mistake is a
 * {@link dev.shellac.translate.resolve.Refusal} that ends in a status.
 */
@NullMarked
package dev.shellac.translate;

import org.jspecify.annotations.NullMarked;
