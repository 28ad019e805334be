/** The plan as routing.json, which goes to the pods. Endpoints are not in it. The operator calls it. */
@NullMarked
package dev.shellac.varnishconfig.routing;

import org.jspecify.annotations.NullMarked;
