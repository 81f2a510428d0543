package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;

/** What every command receives. */
record CliContext(Console console, Cleanup cleanup) {}
