/**
 * A folder of YAML and JSON as objects that know their file and line. {@link dev.shellac.cli.folder.Folder} is read again and
 * again while a gateway runs: it parses only the files that changed, and a file that breaks keeps what it last held. What is
 * wrong with a file is a finding, never an exception.
 */
@NullMarked
package dev.shellac.cli.folder;

import org.jspecify.annotations.NullMarked;
