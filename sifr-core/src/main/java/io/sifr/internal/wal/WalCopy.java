package io.sifr.internal.wal;

import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;

/**
 * Copies a part of a log while more is appended to it. The copy is a log that was closed at the end
 * of that part, and may be resumed there. Segments are copied, never linked: both logs will
 * overwrite theirs.
 */
public final class WalCopy {
  private WalCopy() {}

  /**
   * Copies the segments from one up to an end. The content of the copies is durable when this
   * returns, their names are not. The caller has to check afterwards that the log has not failed:
   * the system may drop pages that it could not write.
   *
   * @param first number of the first segment; none from it on is released meanwhile
   * @param end where a record ended at some moment before
   * @param copies copies the files
   */
  public static void copy(
      StoreFileSystem files, Path from, long first, WalEnd end, FileCopy copies, Path to) {
    for (long number : FileKind.WAL.numbersIn(files, from)) {
      if (number >= first && number <= end.segment()) {
        Path segment = FileKind.WAL.path(from, number);
        long size = files.size(segment);
        long bytes = size;
        if (number == end.segment()) {
          bytes = end.offset();
          int reserved = WalFormat.reservedBytes(files.keys().areUsed());
          size = Math.min(size, WalFormat.wholePages(bytes + reserved));
        }
        copies.copy(segment, FileKind.WAL.path(to, number), bytes, size);
      }
    }
  }
}
