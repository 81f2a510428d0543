package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;

/** The objects that every command receives. */
record CliContext(Console console, Cleanup cleanup) {}
