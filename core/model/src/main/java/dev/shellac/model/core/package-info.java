/** What the cluster brings: Services, their endpoints, Namespaces, Secrets and ConfigMaps. Only what is used is kept. */
@NullMarked
package dev.shellac.model.core;

import org.jspecify.annotations.NullMarked;
