package io.sifr.internal.volume;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFullException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.format.CheckedLine;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that ties two directories of a store together. The file FAST in the store's directory
 * names the fast one, the file OWNER in the fast one names the store's; both have the same id. So
 * neither is taken for something else when it was moved, copied or not mounted. One line of text in
 * UTF-8:
 *
 * <pre>sifr 1 volume 00f1e2d3c4b5a697 with /mnt/nvme/orders crc c10a37b4</pre>
 *
 * @param id random
 * @param other path of the other directory
 */
record VolumeMark(long id, String other) {
  /** In the store's directory. */
  static final String FAST = "FAST";

  /** A {@link #FAST} that is being written. */
  static final String NEW_FAST = FAST + VolumeMark.NEW;

  /** In the fast directory. */
  static final String OWNER = "OWNER";

  private static final String NEW = ".tmp";
  private static final int MAX_BYTES = 16 << 10;
  private static final Pattern FIELDS =
      Pattern.compile("sifr 1 volume ([0-9a-f]{16}) with ([^\\n\\r]+)");

  /** Whether a file has the name of a mark, or of one that is being written. */
  static boolean isNameOf(String name) {
    return name.equals(FAST)
        || name.equals(OWNER)
        || name.equals(FAST + NEW)
        || name.equals(OWNER + NEW);
  }

  /**
   * Reads a mark.
   *
   * @param name {@link #FAST} or {@link #OWNER}
   * @return null when there is none
   * @throws CorruptionException when it is not what {@link #write} writes
   * @throws UnsupportedFormatException when a newer version wrote it
   */
  static @Nullable VolumeMark read(StoreFileSystem fileSystem, Path directory, String name) {
    Path path = directory.resolve(name);
    if (!fileSystem.exists(path)) {
      return null;
    }
    return of(CheckedLine.read(fileSystem, path, MAX_BYTES, FIELDS));
  }

  static VolumeMark decode(Path path, byte[] bytes) {
    return of(CheckedLine.decode(path, bytes, FIELDS));
  }

  private static VolumeMark of(Matcher fields) {
    return new VolumeMark(Long.parseUnsignedLong(fields.group(1), 16), fields.group(2));
  }

  byte[] encode() {
    return CheckedLine.encode(String.format(Locale.ROOT, "sifr 1 volume %016x with %s", id, other));
  }

  /** Deletes what a crash has left of a {@link #write}. */
  static void deleteLeftover(StoreFileSystem fileSystem, Path directory, String name) {
    Path left = directory.resolve(name + NEW);
    if (fileSystem.exists(left)) {
      fileSystem.delete(left);
    }
  }

  /**
   * Writes it durably, in one step, in the place of one that may be there.
   *
   * @throws StoreFullException if there is no space for it; then nothing is left of it
   */
  void write(StoreFileSystem fileSystem, Path directory, String name) {
    deleteLeftover(fileSystem, directory, name);
    byte[] line = encode();
    try (AppendFile file = fileSystem.create(directory.resolve(name + NEW))) {
      file.append(line, 0, line.length);
      file.sync();
    } catch (StoreFullException e) {
      deleteLeftover(fileSystem, directory, name);
      throw e;
    }
    fileSystem.renameDurably(directory, name + NEW, name);
  }
}
