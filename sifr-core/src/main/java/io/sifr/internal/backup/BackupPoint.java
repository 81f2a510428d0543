package io.sifr.internal.backup;

import io.sifr.internal.format.FileKind;
import java.time.Instant;
import java.util.List;

/**
 * The state of a store at one moment in a backup: its SSTs, and the files of the point's own.
 *
 * @param number counted from 1
 * @param taken when
 * @param databases the names of the databases
 * @param copiedBytes what was copied for it, because no earlier point had it
 * @param shared the SSTs and the value files, which points share
 * @param files the manifest, CURRENT and the segments of the log
 */
record BackupPoint(
    long number,
    Instant taken,
    List<String> databases,
    long copiedBytes,
    List<SharedFile> shared,
    List<CopiedFile> files) {

  /**
   * An SST or a value file in a backup. It has the unique id in its name, so a backup may hold
   * files of several stores.
   *
   * @param kind which of both
   * @param number its number in the store
   * @param uniqueId its unique id
   * @param bytes its size
   * @param checksum CRC32C of the file
   * @param upload number of the point for which it was put; 0: its name does not tell
   */
  record SharedFile(
      FileKind kind, long number, long uniqueId, long bytes, int checksum, long upload) {
    SharedFile withChecksum(int known) {
      return new SharedFile(kind, number, uniqueId, bytes, known, upload);
    }

    /** Which file of which store it is: the same for all that were put of it. */
    String identity() {
      return identityOf(kind, number, uniqueId);
    }

    static String identityOf(FileKind kind, long number, long uniqueId) {
      return nameOf(kind, number, uniqueId, "");
    }

    /** Its name in a backup. */
    String name() {
      return nameOf(kind, number, uniqueId, upload == 0 ? "" : "-" + upload);
    }

    private static String nameOf(FileKind kind, long number, long uniqueId, String end) {
      String name = kind.fileName(number);
      int dot = name.lastIndexOf('.');
      return name.substring(0, dot) + String.format("-%016x", uniqueId) + end + name.substring(dot);
    }
  }

  /**
   * A file of the point's own.
   *
   * @param name its name, in the point's directory and in the store
   * @param bytes its size
   * @param checksum CRC32C of the file
   */
  record CopiedFile(String name, long bytes, int checksum) {}

  /** Bytes of a store that is restored from it. */
  long bytes() {
    return shared.stream().mapToLong(SharedFile::bytes).sum()
        + files.stream().mapToLong(CopiedFile::bytes).sum();
  }

  /** Number of SSTs. */
  int ssts() {
    return (int) shared.stream().filter(file -> file.kind() == FileKind.SST).count();
  }
}
