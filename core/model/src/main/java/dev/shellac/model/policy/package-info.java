/** What is said about other objects: grants, TLS towards backends, caching, invalidation, parameters of a class. */
@NullMarked
package dev.shellac.model.policy;

import org.jspecify.annotations.NullMarked;
