/**
 * One folder, read and translated: what each command shows a part of. {@link dev.shellac.cli.analysis.FolderAnalysis} is the whole;
 * {@link dev.shellac.cli.site.Problem} is a thing that is wrong with it, wherever it was found out.
 */
@NullMarked
package dev.shellac.cli.analysis;

import org.jspecify.annotations.NullMarked;
