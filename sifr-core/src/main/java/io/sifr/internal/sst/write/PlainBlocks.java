package io.sifr.internal.sst.write;

import io.sifr.internal.entry.ForwardIterator;

/** Blocks that are stored as they are. */
final class PlainBlocks extends DataBlocks {
  PlainBlocks(BlockWriter writer, FenceWriter fences) {
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
    if (writer.append(source, key, keyOffset, keyLength, common, trailer)) {
      return false;
    }
    close();
    beginFence(key, keyOffset, keyLength, common, sequenceBefore);
    writer.append(source, key, keyOffset, keyLength, common, trailer);
    return true;
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
