/** Where traffic comes in: GatewayClass, Gateway, ListenerSet, and who may attach to them. */
@NullMarked
package dev.shellac.model.gateway;

import org.jspecify.annotations.NullMarked;
