package io.sifr.cli;

import io.sifr.cli.record.TextBytes;
import picocli.CommandLine.Option;

/** The option for the form of keys and values on the command line and in the output. */
final class HexMixin {
  /** The character to which the JVM decodes invalid bytes of the command line. */
  private static final char UNDECODABLE = '\uFFFD';

  @Option(names = "--hex", description = "Keys and values are hexadecimal digits.")
  private boolean hex;

  boolean isHex() {
    return hex;
  }

  /** The bytes of an argument. */
  byte[] bytes(String name, String argument) {
    if (hex) {
      try {
        return TextBytes.fromHex(argument);
      } catch (IllegalArgumentException e) {
        throw new CommandFailure(ExitCodes.USAGE, name + " is " + e.getMessage(), e);
      }
    }
    if (argument.indexOf(UNDECODABLE) >= 0) {
      throw new CommandFailure(
          ExitCodes.USAGE, name + " is not valid in the encoding of the terminal; use --hex");
    }
    return TextBytes.utf8(argument);
  }

  /** The text shown for bytes. */
  String show(byte[] bytes) {
    return hex ? TextBytes.toHex(bytes) : TextBytes.escape(bytes);
  }
}
