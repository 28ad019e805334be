/**
 * The house rules as tests: which module may use which, and what no code of ours does. A rule is a function from a
 * module on disk to the sentences that say where it is broken; none of them stops at the first. Every module runs
 * {@link dev.shellac.testkit.house.HouseRules} from a test of that name, and testkit's own tests hold the module graph.
 */
@NullMarked
package dev.shellac.testkit.house;

import org.jspecify.annotations.NullMarked;
