package io.sifr.internal.wal;

import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.FileRewrite;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes a log whose end was found by replay one that ends there for certain, without needing space:
 * then it can be kept, and appended to like one that was closed in order.
 *
 * <p>What was replayed is written again over itself. What follows the end is overwritten with
 * zeros, because it may contain whole records, which would seem to follow new ones. Then the marks
 * of the segments say that all of it is durable, as after any sync, so that damage to it is not
 * taken for an earlier end. A crash meanwhile changes nothing of what a replay finds.
 */
public final class WalRewrite {
  private WalRewrite() {}

  /**
   * Rewrites segments. Later ones are to be deleted when the end of the log is recorded.
   *
   * @param ends where their records end, in the order of the log; the last one is its end
   */
  public static void upToEnd(StoreFileSystem files, Path directory, List<SegmentEnd> ends) {
    for (SegmentEnd segment : ends) {
      boolean isLast = segment.equals(ends.get(ends.size() - 1));
      long end = isLast ? segment.offset() : segment.bytes();
      rewrite(files, FileKind.WAL.path(directory, segment.segment()), end, segment);
    }
  }

  private static void rewrite(StoreFileSystem files, Path path, long end, SegmentEnd segment) {
    int bytes = segment.bytes();
    try (RandomWriteFile file = files.openForWrite(path, bytes)) {
      FileRewrite.rewrite(files, path, file, 0, end, bytes);
      byte[] mark = SegmentMark.encode(segment.offset(), uniqueId(files, path), bytes);
      file.write(mark, 0, mark.length, SegmentMark.offset(bytes));
    }
  }

  private static long uniqueId(StoreFileSystem files, Path path) {
    ByteBuffer header = ByteBuffer.allocate(FileHeader.BYTES);
    try (RandomReadFile file = files.openForRead(path)) {
      file.readFully(header, 0);
    }
    return FileHeader.uniqueId(header);
  }
}
