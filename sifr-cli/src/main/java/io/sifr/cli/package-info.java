/** The command line tool. */
@NullMarked
package io.sifr.cli;

import org.jspecify.annotations.NullMarked;
