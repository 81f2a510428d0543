package io.sifr.internal.manifest;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.format.CheckedLine;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of the file CURRENT, which names the current manifest. One line of human-readable
 * text:
 *
 * <pre>sifr 1 manifest 7 id 00f1e2d3c4b5a697 snapshot 4128 crc 1a2b3c4d</pre>
 *
 * @param number number of the manifest
 * @param uniqueId unique id in its header
 * @param snapshotBytes how many of its bytes were synced before CURRENT named it: an error within
 *     them is damage, never a torn write
 */
public record Current(long number, long uniqueId, long snapshotBytes) {
  private static final String FILE_NAME = "CURRENT";
  private static final String NEW_FILE_NAME = "CURRENT.tmp";
  private static final int MAX_BYTES = 256;

  /** A file that is there while a copy of a store is made. */
  private static final String MARK_NAME = "UNFINISHED";

  private static final Pattern FIELDS =
      Pattern.compile("sifr 1 manifest ([0-9]{1,18}) id ([0-9a-f]{16}) snapshot ([0-9]{1,18})");

  public static Path path(Path directory) {
    return directory.resolve(FILE_NAME);
  }

  /**
   * Reads CURRENT.
   *
   * @throws CorruptionException when it is missing or not what {@link #prepare} writes
   * @throws UnsupportedFormatException when a newer version wrote it
   */
  public static Current read(StoreFileSystem fileSystem, Path directory) {
    Path path = path(directory);
    if (!fileSystem.exists(path)) {
      throw new CorruptionException(path, 0, "the file is missing");
    }
    return of(CheckedLine.read(fileSystem, path, MAX_BYTES, FIELDS));
  }

  static Current decode(Path path, byte[] bytes) {
    return of(CheckedLine.decode(path, bytes, FIELDS));
  }

  private static Current of(Matcher fields) {
    return new Current(
        Long.parseLong(fields.group(1)),
        Long.parseUnsignedLong(fields.group(2), 16),
        Long.parseLong(fields.group(3)));
  }

  byte[] encode() {
    return CheckedLine.encode(
        String.format(
            Locale.ROOT,
            "sifr 1 manifest %d id %016x snapshot %d",
            number,
            uniqueId,
            snapshotBytes));
  }

  /** Writes and syncs the line to a temporary file. It has no effect yet. */
  void prepare(StoreFileSystem fileSystem, Path directory) {
    Path path = directory.resolve(NEW_FILE_NAME);
    fileSystem.delete(path);
    byte[] line = encode();
    try (AppendFile file = fileSystem.create(path)) {
      file.append(line, 0, line.length);
      file.sync();
    }
  }

  /**
   * Marks a directory as one in which a copy of a store is being made: as long as there is no
   * CURRENT, there is no store in it. The mark is durable when the directory is synced. It means
   * nothing beside a CURRENT, and is deleted with the next manifest.
   *
   * @return whether it was not there before
   */
  @CanIgnoreReturnValue
  public static boolean markUnfinished(StoreFileSystem fileSystem, Path directory) {
    Path mark = directory.resolve(MARK_NAME);
    boolean isNew = !fileSystem.exists(mark);
    if (isNew) {
      fileSystem.create(mark).close();
    }
    return isNew;
  }

  /** Whether a directory holds a part of a store, which {@link #markUnfinished} says. */
  public static boolean isUnfinished(StoreFileSystem fileSystem, Path directory) {
    return fileSystem.exists(directory.resolve(MARK_NAME)) && !fileSystem.exists(path(directory));
  }

  /** Deletes the mark, when CURRENT is durable or nothing else is left. */
  public static void deleteMark(StoreFileSystem fileSystem, Path directory) {
    fileSystem.delete(directory.resolve(MARK_NAME));
  }

  /**
   * Makes this the CURRENT of a directory whose other files are durable, names included. When it
   * returns there is a store in it.
   */
  public void make(StoreFileSystem fileSystem, Path directory) {
    prepare(fileSystem, directory);
    swap(fileSystem, directory);
  }

  /** Whether a file has the name of CURRENT, or of what is prepared to replace it. */
  public static boolean isNameOf(String fileName) {
    return fileName.equals(FILE_NAME) || fileName.equals(NEW_FILE_NAME);
  }

  public static boolean isNameOfMark(String fileName) {
    return fileName.equals(MARK_NAME);
  }

  /** Deletes CURRENT, so that there is no store any more. */
  public static void delete(StoreFileSystem fileSystem, Path directory) {
    fileSystem.delete(path(directory));
  }

  /** Deletes what a crash has left beside CURRENT: of {@link #prepare}, and the mark. */
  static void deleteLeftovers(StoreFileSystem fileSystem, Path directory) {
    for (String name : List.of(NEW_FILE_NAME, MARK_NAME)) {
      Path left = directory.resolve(name);
      if (fileSystem.exists(left)) {
        fileSystem.delete(left);
      }
    }
  }

  /**
   * Replaces CURRENT by the prepared line. When this fails, it is not known which of the two is in
   * effect.
   *
   * @throws io.sifr.error.FileNotOpenedException when nothing has changed
   */
  static void swap(StoreFileSystem fileSystem, Path directory) {
    fileSystem.renameDurably(directory, NEW_FILE_NAME, FILE_NAME);
  }
}
