package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.spi.EncryptionKeys;

/** The objects that every command receives. */
final class CliContext {
  private final Console console;
  private final Cleanup cleanup;
  private EncryptionKeys keys = EncryptionKeys.NONE;

  CliContext(Console console, Cleanup cleanup) {
    this.console = console;
    this.cleanup = cleanup;
  }

  /** Where commands read and write. */
  Console console() {
    return console;
  }

  /** What is to be done when the program ends. */
  Cleanup cleanup() {
    return cleanup;
  }

  /** The keys of stores, known when the command line was read; none if no option names them. */
  EncryptionKeys keys() {
    return keys;
  }

  /** Sets the keys. */
  void use(EncryptionKeys given) {
    keys = given;
  }
}
