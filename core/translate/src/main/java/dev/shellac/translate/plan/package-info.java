/**
 * What a Gateway shall do, in no data plane's words. Every element knows the object, rule and match that it came from.
 * Encoders turn a plan into files; they decide nothing.
 */
@NullMarked
package dev.shellac.translate.plan;

import org.jspecify.annotations.NullMarked;
