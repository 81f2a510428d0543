package io.sifr.internal.sst.write;

import io.sifr.internal.entry.ForwardIterator;

/**
 * The data blocks of an SST that is being written, and their fences: decides which entry begins the
 * next block. Used by one thread.
 */
abstract class DataBlocks {
  final BlockWriter writer;
  final FenceWriter fences;

  /**
   * @param writer to which nothing has been written yet
   * @param fences receives the fences
   */
  DataBlocks(BlockWriter writer, FenceWriter fences) {
    this.writer = writer;
    this.fences = fences;
    fences.beginFirst();
  }

  /**
   * Adds the current entry of the source.
   *
   * @param common number of leading bytes its key has in common with that of the previous entry
   * @param sequenceBefore sequence number of the previous entry
   * @return whether it has closed a block
   */
  abstract boolean add(
      ForwardIterator source,
      byte[] key,
      int keyOffset,
      int keyLength,
      int common,
      long trailer,
      long sequenceBefore);

  /** Writes what is left. There must have been an entry. */
  abstract void finish();

  /** Upper bound of where the blocks end in the file if no entry follows. */
  abstract long end();

  /** Where the entries end in the file; an estimate if they are encoded. */
  abstract long entriesEnd();

  /** Begins the fence of the block that begins with that entry. */
  final void beginFence(byte[] key, int offset, int length, int common, long sequenceBefore) {
    if (common == length) {
      fences.beginWithin(key, offset, length, sequenceBefore);
    } else {
      fences.begin(key, offset, common);
    }
  }

  /** Closes a block of the writer. */
  final void close() {
    fences.end(writer.close());
  }

  /** Blocks that are stored as they are. */
  static final class Plain extends DataBlocks {
    Plain(BlockWriter writer, FenceWriter fences) {
      super(writer, fences);
    }

    @Override
    boolean add(
        ForwardIterator source,
        byte[] key,
        int keyOffset,
        int keyLength,
        int common,
        long trailer,
        long sequenceBefore) {
      boolean closed = false;
      while (!writer.takes(keyLength, common, source.valueLength(), trailer)) {
        close();
        beginFence(key, keyOffset, keyLength, common, sequenceBefore);
        closed = true;
      }
      writer.append(source, key, keyOffset, keyLength, common, trailer, sequenceBefore);
      return closed;
    }

    @Override
    void finish() {
      close();
      writer.flush();
    }

    @Override
    long end() {
      return writer.end();
    }

    @Override
    long entriesEnd() {
      return writer.entriesEnd();
    }
  }
}
