/**
 * Sorted collections that never change and whose changed copies share most of what they hold. Two of them that come from one
 * another tell their differences at the cost of the differences, which is what makes one change cheap among thousands of
 * objects. Anybody may use them; nothing in here knows a resource.
 */
@NullMarked
package dev.shellac.model.persistent;

import org.jspecify.annotations.NullMarked;
