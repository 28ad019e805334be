/** The pods and Services of our Gateways: what runs, what it says of itself, and where it can be reached. */
@NullMarked
package dev.shellac.operator.pods;

import org.jspecify.annotations.NullMarked;
