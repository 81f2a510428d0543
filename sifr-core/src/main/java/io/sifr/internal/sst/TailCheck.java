package io.sifr.internal.sst;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads all that follows the blocks of an SST, and checks it: footer, properties, index and filter.
 * The file is opened for that alone, and nothing that was read is kept, so the cache and the open
 * files stay as they are. For one thread, once.
 */
final class TailCheck implements PageSource, AutoCloseable {
  private final SstAccess access;
  private final SstMeta meta;
  private final Runnable goesOn;
  private @Nullable ReadBlocks file;
  private long bytes;

  /**
   * @param meta what the manifest says of the SST
   * @param goesOn called before each read
   */
  TailCheck(SstAccess access, SstMeta meta, Runnable goesOn) {
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
   * @throws io.sifr.error.CorruptionException when the file is not that SST, or cannot be opened
   */
  SstTail checkTail() {
    Path path = access.path(meta.number());
    SstReader.requireSize(access, path, meta.fileBytes());
    SstTail.checkSize(path, meta.fileBytes());
    file = new ReadBlocks(path, access.openToRead(path), access.meter());
    SstTail tail = SstTail.read(access, meta.fileBytes(), this, meta.number(), meta.baseSequence());
    tail.requireIs(meta);
    return tail;
  }

  /**
   * Checks the parts of the index.
   *
   * @throws io.sifr.error.CorruptionException when one of them is damaged
   */
  void checkIndex(SstTail tail) {
    IndexPart part = null;
    for (int number = 0; number < tail.top().parts(); number++) {
      part = tail.top().partAfter(part, this, access.cache());
      part.keepNothing();
    }
  }

  /**
   * Checks the pages of the filter.
   *
   * @throws io.sifr.error.CorruptionException when one of them is damaged
   */
  void checkFilter(SstTail tail) {
    SstFilter filter = SstFilter.of(tail, access.cache(), access.filterCounts());
    if (filter != null) {
      var unused = filter.readAll(this);
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
