/**
 * The process and its surroundings: standard input, output and error, the progress bar, the format
 * of numbers, the user interface of command lines, and the cleanup before the process ends. Uses no
 * other package.
 */
@NullMarked
package io.sifr.cli.terminal;

import org.jspecify.annotations.NullMarked;
