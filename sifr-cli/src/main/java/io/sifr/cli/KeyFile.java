package io.sifr.cli;

import io.sifr.spi.EncryptionKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A file with keys: on each line the number of a key, a blank, and its bytes as hexadecimal digits.
 * The last one is the current key. Empty lines, and those that begin with {@code #}, are skipped.
 */
final class KeyFile {
  private KeyFile() {}

  /**
   * Reads the keys.
   *
   * @throws CommandFailure when it cannot be read, or has another form; no key is shown
   */
  static EncryptionKeys read(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new CommandFailure(ExitCodes.USAGE, "cannot read the keys in " + file + ": " + e);
    }
    Map<Integer, byte[]> keys = new HashMap<>();
    int current = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split("\\s+", -1);
      try {
        current = Integer.parseInt(parts[0]);
        byte[] key = HexFormat.of().parseHex(parts.length == 2 ? parts[1] : "?");
        if (keys.put(current, key) != null) {
          throw new IllegalArgumentException("twice");
        }
        var unused = EncryptionKeys.of(keys, current);
      } catch (IllegalArgumentException e) {
        throw new CommandFailure(
            ExitCodes.USAGE,
            "line %d of %s is not a key; allowed: a number from 1 to %d that no other line has, a blank, and %d hexadecimal digits"
                .formatted(i + 1, file, EncryptionKeys.MOST, 2 * EncryptionKeys.KEY_BYTES));
      }
    }
    if (keys.isEmpty()) {
      throw new CommandFailure(ExitCodes.USAGE, file + " has no key");
    }
    return EncryptionKeys.of(keys, current);
  }
}
