/**
 * The command line tool: one class a command, and the options they share as mixins. {@link
 * io.sifr.cli.SifrCommand} is where to begin reading.
 *
 * <p>Stands on the public API of the store alone. One thread does everything; only {@link
 * io.sifr.cli.terminal.Cleanup} is also called by the thread that the JVM starts when it is told to
 * stop.
 */
@NullMarked
package io.sifr.cli;

import org.jspecify.annotations.NullMarked;
