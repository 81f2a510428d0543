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
 * A file that ties two directories of a store together. The file FAST or COLD in the store's
 * directory names the other one, the file OWNER in the other one names the store's; both have the
 * same id. So neither is taken for something else when it was moved, copied or not mounted. One
 * line of text in UTF-8:
 *
 * <pre>sifr 1 volume 00f1e2d3c4b5a697 with /mnt/nvme/orders crc c10a37b4</pre>
 *
 * @param id random
 * @param other path of the other directory
 * @param isVolatile whether the store has no file in the fast directory that it cannot do without;
 *     then it is a {@code volatile volume}
 */
record VolumeMark(long id, String other, boolean isVolatile) {
  /** In the store's directory. */
  static final String FAST = "FAST";

  /** In the store's directory. */
  static final String COLD = "COLD";

  /** A {@link #FAST} that is being written. */
  static final String NEW_FAST = FAST + VolumeMark.NEW;

  /** A {@link #COLD} that is being written. */
  static final String NEW_COLD = COLD + VolumeMark.NEW;

  /** In the other directory. */
  static final String OWNER = "OWNER";

  /** There as well, as long as {@link #OWNER} is written anew. */
  private static final String SECOND_OWNER = OWNER + VolumeMark.NEW;

  private static final String NEW = ".tmp";
  private static final int MAX_BYTES = 16 << 10;
  private static final Pattern FIELDS =
      Pattern.compile("sifr 1 (volatile )?volume ([0-9a-f]{16}) with ([^\\n\\r]+)");

  /** Whether a file has the name of a mark, or of one that is being written. */
  static boolean isNameOf(String name) {
    return name.equals(FAST)
        || name.equals(COLD)
        || name.equals(OWNER)
        || name.equals(NEW_FAST)
        || name.equals(NEW_COLD)
        || name.equals(SECOND_OWNER);
  }

  /**
   * Reads a mark.
   *
   * @param name of the file
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
    return new VolumeMark(
        Long.parseUnsignedLong(fields.group(2), 16), fields.group(3), fields.group(1) != null);
  }

  byte[] encode() {
    String kind = isVolatile ? "volatile volume" : "volume";
    return CheckedLine.encode(
        String.format(Locale.ROOT, "sifr 1 %s %016x with %s", kind, id, other));
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
    writeNew(fileSystem, directory.resolve(name + NEW));
    fileSystem.renameDurably(directory, name + NEW, name);
  }

  private void writeNew(StoreFileSystem fileSystem, Path path) {
    byte[] line = encode();
    try (AppendFile file = fileSystem.create(path)) {
      file.append(line, 0, line.length);
      file.sync();
    } catch (StoreFullException e) {
      fileSystem.delete(path);
      throw e;
    }
  }

  /**
   * Reads the mark in a fast or cold directory.
   *
   * @return null when there is none
   * @throws CorruptionException when it was not finished, or is damaged
   */
  static @Nullable VolumeMark ownerOf(StoreFileSystem fileSystem, Path directory) {
    try {
      VolumeMark owner = read(fileSystem, directory, OWNER);
      return owner == null ? read(fileSystem, directory, SECOND_OWNER) : owner;
    } catch (CorruptionException e) {
      VolumeMark second = read(fileSystem, directory, SECOND_OWNER);
      if (second == null) {
        throw e;
      }
      return second;
    }
  }

  /**
   * Writes the mark in a fast or cold directory durably, in the place of one that may be there. No
   * file is renamed or overwritten, since not all storage can do that: as long as {@link #OWNER} is
   * written anew there is a second one, which counts if the first does not.
   *
   * @throws StoreFullException if there is no space for it
   */
  void writeOwner(StoreFileSystem fileSystem, Path directory) {
    if (isWhole(fileSystem, directory, OWNER)) {
      deleteLeftover(fileSystem, directory, OWNER);
      writeNew(fileSystem, directory.resolve(SECOND_OWNER));
      fileSystem.syncDirectory(directory);
    }
    fileSystem.delete(directory.resolve(OWNER));
    writeNew(fileSystem, directory.resolve(OWNER));
    fileSystem.syncDirectory(directory);
    deleteLeftover(fileSystem, directory, OWNER);
  }

  private static boolean isWhole(StoreFileSystem fileSystem, Path directory, String name) {
    try {
      return read(fileSystem, directory, name) != null;
    } catch (CorruptionException e) {
      return false;
    }
  }

  /** Deletes the mark in a fast or cold directory. */
  static void deleteOwner(StoreFileSystem fileSystem, Path directory) {
    deleteLeftover(fileSystem, directory, OWNER);
    fileSystem.delete(directory.resolve(OWNER));
  }
}
