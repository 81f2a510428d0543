/**
 * The command line tool: one class per command, and mixins for the options they share. Start with
 * {@link io.sifr.cli.SifrCommand}.
 *
 * <p>Uses only the public API of the store. One thread does everything; only {@link
 * io.sifr.cli.terminal.Cleanup} is also called by the JVM's shutdown thread.
 */
@NullMarked
package io.sifr.cli;

import org.jspecify.annotations.NullMarked;
