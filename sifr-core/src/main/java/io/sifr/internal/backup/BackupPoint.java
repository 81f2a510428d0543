package io.sifr.internal.backup;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of a store at one moment in a backup: its SSTs, and the files of the point's own.
 *
 * @param number counted from 1
 * @param taken when
 * @param databases the names of the databases
 * @param copiedBytes what was copied for it, because no earlier point had it
 * @param ssts the SSTs, which points share
 * @param files the manifest, CURRENT and the segments of the log
 */
record BackupPoint(
    long number,
    Instant taken,
    List<String> databases,
    long copiedBytes,
    List<CopiedSst> ssts,
    List<CopiedFile> files) {

  /**
   * An SST in a backup. It has the unique id in its name, so a backup may hold SSTs of several
   * stores.
   *
   * @param number its number in the store
   * @param uniqueId its unique id
   * @param bytes its size
   * @param checksum CRC32C of the file
   */
  record CopiedSst(long number, long uniqueId, long bytes, int checksum) {
    String name() {
      return nameOf(number, uniqueId);
    }

    /** The name in a backup of an SST. */
    static String nameOf(long number, long uniqueId) {
      return String.format("%012d-%016x.sst", number, uniqueId);
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
    return ssts.stream().mapToLong(CopiedSst::bytes).sum()
        + files.stream().mapToLong(CopiedFile::bytes).sum();
  }

  /** The SST of that name, if the point has it. */
  Optional<CopiedSst> sst(String name) {
    return ssts.stream().filter(sst -> sst.name().equals(name)).findFirst();
  }
}
