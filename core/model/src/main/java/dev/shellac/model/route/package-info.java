/** HTTPRoute: where it attaches, what it matches, what it does, and where it sends requests. */
@NullMarked
package dev.shellac.model.route;

import org.jspecify.annotations.NullMarked;
