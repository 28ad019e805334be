/** What the chart expects of the programs that it installs. */
@NullMarked
package dev.shellac.testkit.chart;

import org.jspecify.annotations.NullMarked;
