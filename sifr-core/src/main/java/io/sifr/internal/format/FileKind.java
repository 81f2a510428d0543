package io.sifr.internal.format;

import com.google.common.base.Strings;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The numbered files of a store. A file is named by its number and kind through this class alone,
 * so no name from outside ever becomes a path.
 */
public enum FileKind {
  /** Sorted entries. */
  SST(1, "sst", 1),
  /** Segment of the write-ahead log. */
  WAL(2, "wal", 1),
  /** Forest manifest. */
  MANIFEST(3, "manifest", 1),
  /** Large values, to which SSTs refer. */
  VALUES(4, "values", 1),
  /** Copy of the end of an SST that is far away: it can be made again. */
  TAIL(5, "tail", 1);

  /** Smallest number of digits of a number in a file name. */
  private static final int DIGITS = 12;

  private final int code;
  private final String extension;
  private final String ending;
  private final int formatVersion;

  FileKind(int code, String extension, int formatVersion) {
    this.code = code;
    this.extension = extension;
    this.ending = ".".concat(extension);
    this.formatVersion = formatVersion;
  }

  /** Code of this kind in a header. */
  public int code() {
    return code;
  }

  /** Format version this program writes, and the newest it reads. */
  public int formatVersion() {
    return formatVersion;
  }

  /**
   * Whether a file of this kind has the number in its name that it was written under. An SST may be
   * linked under another: the manifest knows it by its unique id.
   */
  boolean keepsItsNumber() {
    return this != SST;
  }

  /** Name of the file of this kind with that number. */
  public String fileName(long number) {
    // No format string: to interpret it takes longer than to open the file.
    return Strings.padStart(Long.toString(number), DIGITS, '0').concat(ending);
  }

  /** Path of the file of this kind with that number. */
  public Path path(Path directory, long number) {
    return directory.resolve(fileName(number));
  }

  /** Numbers of the files of this kind in a directory, ascending. */
  public List<Long> numbersIn(StoreFileSystem fileSystem, Path directory) {
    return fileSystem.list(directory).stream()
        .flatMap(name -> numberOf(name).stream())
        .sorted()
        .toList();
  }

  /** The number in a name, if the name is one that {@link #fileName} makes for this kind. */
  public Optional<Long> numberOf(String fileName) {
    int dot = fileName.indexOf('.');
    if (dot < DIGITS
        || dot > 18
        || fileName.length() - dot - 1 != extension.length()
        || !fileName.endsWith(extension)) {
      return Optional.empty();
    }
    long number = 0;
    for (int i = 0; i < dot; i++) {
      char digit = fileName.charAt(i);
      if (digit < '0' || digit > '9') {
        return Optional.empty();
      }
      number = 10 * number + digit - '0';
    }
    boolean hasNoOther = dot == DIGITS || fileName.charAt(0) != '0';
    return hasNoOther ? Optional.of(number) : Optional.empty();
  }
}
