/**
 * One folder, read and translated: what each command shows a part of. {@link dev.shellac.cli.site.Site} is the whole;
 * {@link dev.shellac.cli.site.Problem} is a thing that is wrong with it, wherever it was found out.
 */
@NullMarked
package dev.shellac.cli.site;

import org.jspecify.annotations.NullMarked;
