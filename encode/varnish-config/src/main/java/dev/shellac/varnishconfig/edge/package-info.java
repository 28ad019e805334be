/**
 * What HAProxy gets to terminate TLS before varnishd: a configuration that says ports and limits, and a bundle of certificates that says
 * which of them is for whom. The first changes with listeners' ports, the second with certificates and hostnames.
 */
@NullMarked
package dev.shellac.varnishconfig.edge;

import org.jspecify.annotations.NullMarked;
