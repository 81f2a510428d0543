package io.sifr.internal.sst.inspect;

import io.sifr.error.CorruptionException;
import io.sifr.internal.io.ReadMeter;
import io.sifr.internal.sst.block.ReadBlocks;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.block.SstFile;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.PageSource;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstTail;
import io.sifr.internal.sst.read.SstFilter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads parts of an SST's file to check them. The file is opened for that alone, and nothing that
 * was read is kept, so the cache, the open files and the figures of reads stay as they are. For one
 * thread, once.
 */
final class ScrubbedFile implements PageSource, AutoCloseable {
  private final SstAccess access;
  private final SstMeta meta;
  private final Runnable goesOn;
  private @Nullable ReadBlocks file;
  private long bytes;

  /**
   * @param meta what the manifest says of the SST
   * @param goesOn called before each read
   */
  ScrubbedFile(SstAccess access, SstMeta meta, Runnable goesOn) {
    this.access = access;
    this.meta = meta;
    this.goesOn = goesOn;
  }

  /** Bytes read so far. */
  long bytes() {
    return bytes;
  }

  /**
   * Checks what opening the SST checks.
   *
   * @throws CorruptionException when the file is not that SST, or cannot be opened
   */
  SstTail checkTail() {
    Path path = access.path(meta.number());
    SstFile.requireSize(access, path, meta.fileBytes());
    SstTail.checkSize(path, meta.fileBytes());
    file = new ReadBlocks(path, access.openToRead(path), new ReadMeter());
    SstTail tail =
        access.readTail(path, meta.number(), meta.fileBytes(), this, meta.baseSequence());
    tail.requireIs(meta);
    return tail;
  }

  /**
   * Checks the parts of the index.
   *
   * @throws CorruptionException when one of them is damaged
   */
  void checkIndex(SstTail tail) {
    IndexPart part = null;
    for (int number = 0; number < tail.top().parts(); number++) {
      part = tail.top().partAfter(part, this, access.cache());
      part.keepNothing();
    }
  }

  /** A part of the index, which is not kept. */
  IndexPart part(SstTail tail, int number) {
    IndexPart part = tail.top().part(number, this, access.cache());
    part.keepNothing();
    return part;
  }

  /**
   * Checks the pages of the filter, if there is one.
   *
   * @throws CorruptionException when one of them is damaged
   */
  void checkFilter(SstTail tail) {
    var unused = SstFilter.readAll(tail, this);
  }

  /**
   * Checks the checksums of successive data blocks, and with the first one the file's header.
   *
   * @param first the first block in the part
   * @param end one more than the last
   * @throws CorruptionException when one of them is damaged
   */
  void checkBlocks(SstTail tail, IndexPart part, int first, int end) {
    int from = part.pageStart(first);
    ByteBuffer pages = read(from, part.end(end - 1));
    if (from == 0) {
      tail.checkHeader(pages);
    }
    for (int block = first; block < end; block++) {
      int start = part.offset(block) - from;
      tail.decoder().check("data block", pages, start, part.end(block) - from, part.offset(block));
    }
  }

  @Override
  public ByteBuffer read(long from, long to) {
    goesOn.run();
    bytes += to - from;
    ReadBlocks opened = file;
    if (opened == null) {
      throw new IllegalStateException("the file is not open");
    }
    return opened.read(from, to);
  }

  @Override
  public void close() {
    if (file != null) {
      file.leave();
    }
  }
}
