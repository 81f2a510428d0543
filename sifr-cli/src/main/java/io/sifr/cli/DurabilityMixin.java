package io.sifr.cli;

import io.sifr.config.Durability;
import picocli.CommandLine.Option;

/** What the writes of a command have survived when it ends. */
final class DurabilityMixin {
  @Option(
      names = "--durability",
      paramLabel = "MODE",
      defaultValue = "BUFFERED",
      description =
          "Durability of each write: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Durability durability = Durability.BUFFERED;

  Durability durability() {
    return durability;
  }
}
