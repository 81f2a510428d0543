package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.spi.EncryptionKeys;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The objects that every command receives.
 *
 * @param console where it reads and writes
 * @param cleanup what is to be done when it ends
 * @param given the keys of the stores, known when the command line was read
 */
record CliContext(Console console, Cleanup cleanup, AtomicReference<EncryptionKeys> given) {
  CliContext(Console console, Cleanup cleanup) {
    this(console, cleanup, new AtomicReference<>(EncryptionKeys.NONE));
  }

  /** The keys of the stores; none if no option names them. */
  EncryptionKeys keys() {
    return given.get();
  }
}
