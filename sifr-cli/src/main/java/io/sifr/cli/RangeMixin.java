package io.sifr.cli;

import io.sifr.KeyRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The range of keys of a command. */
final class RangeMixin {
  @Option(names = "--from", paramLabel = "KEY", description = "First key.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "Key to end before; larger than --from.")
  private @Nullable String to;

  @Option(names = "--prefix", paramLabel = "KEY", description = "Only keys with this prefix.")
  private @Nullable String prefix;

  /** Whether any bound is given. */
  boolean isGiven() {
    return from != null || to != null || prefix != null;
  }

  KeyRange range(HexMixin hex) {
    if (prefix != null) {
      if (from != null || to != null) {
        throw new CommandFailure(
            ExitCodes.USAGE, "--prefix cannot be given together with --from or --to");
      }
      return KeyRange.prefix(hex.bytes("--prefix", prefix));
    }
    if (from == null) {
      return to == null ? KeyRange.all() : KeyRange.lessThan(hex.bytes("--to", to));
    }
    byte[] first = hex.bytes("--from", from);
    return to == null ? KeyRange.atLeast(first) : between(from, first, to, hex.bytes("--to", to));
  }

  /** A range that holds no key is a mistake: nothing would be shown, or deleted, without a word. */
  private static KeyRange between(String from, byte[] first, String to, byte[] end) {
    if (Arrays.compareUnsigned(first, end) >= 0) {
      throw new CommandFailure(
          ExitCodes.USAGE,
          Arrays.equals(first, end)
              ? "the range is empty: it ends before --to '" + to + "', which is also --from"
              : "the range is empty: --from '"
                  + from
                  + "' is after --to '"
                  + to
                  + "' in the order of keys");
    }
    return KeyRange.between(first, end);
  }
}
