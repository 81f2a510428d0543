/**
 * The process and its surroundings: standard input, output and error, the progress bar, how numbers
 * are shown and read, how a command line speaks to its user, and what has to be done before the
 * process ends. Uses nothing of the other packages.
 */
@NullMarked
package io.sifr.cli.terminal;

import org.jspecify.annotations.NullMarked;
