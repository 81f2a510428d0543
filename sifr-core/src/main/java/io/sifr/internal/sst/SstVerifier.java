package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads an SST from its first byte to its last and believes nothing: not even the writer, whose
 * mistakes have good checksums. A merge is about to delete the only other copy of what it wrote, so
 * this is the last chance to notice.
 */
final class SstVerifier {
  private final Path file;
  private final BlockView block;
  private final SstTail tail;
  private final EntryHeader entry = new EntryHeader();

  // The entry before, and whether there is one.
  private byte[] key = new byte[64];
  private int keyLength;
  private long trailer;

  private byte[] suffix = new byte[64];
  private byte[] firstKey = Bytes.EMPTY;

  private long entries;
  private long tombstones;
  private long rawBytes;
  private long minSequence = Long.MAX_VALUE;
  private long maxSequence = -1;

  /**
   * @param block shows the blocks, each newly checked
   */
  SstVerifier(Path file, BlockView block, SstTail tail) {
    this.file = file;
    this.block = block;
    this.tail = tail;
  }

  /**
   * Checks every block.
   *
   * @throws CorruptionException naming the first fault
   */
  void verify() {
    for (int number = 0; number < tail.index().blocks(); number++) {
      block.show(number);
      verifyBlock(number);
    }
    SstProperties properties = tail.properties();
    requireProperty("entries", entries, properties.entries());
    requireProperty("tombstones", tombstones, properties.tombstones());
    requireProperty("bytes of keys and values", rawBytes, properties.rawBytes());
    requireProperty("smallest sequence number", minSequence, properties.minSequence());
    requireProperty("largest sequence number", maxSequence, properties.maxSequence());
    requireKey("largest key", properties.largestKey());
  }

  private void verifyBlock(int number) {
    ByteBuffer buffer = block.buffer;
    int end = block.end;
    int restarts = BlockTrailer.restarts(buffer, end);
    int restartsAt = BlockTrailer.restartsAt(buffer, end);
    int entriesEnd = BlockTrailer.entriesEnd(buffer, end);
    long base = BlockTrailer.baseSequence(buffer, end);
    SstTail.requireZeros(
        file, buffer, entriesEnd, restartsAt, block.fileOffset(entriesEnd) - entriesEnd);
    int first = block.firstEntry();
    int restart = first;
    int runs = 0;
    int inRun = 0;
    int at = first;
    while (at < entriesEnd) {
      if (!entry.decode(buffer, at, entriesEnd, at == first ? 0 : keyLength)) {
        throw block.damaged(at, "no entry can be read");
      }
      if (at == restart) {
        requireRestart(buffer, at, at == first);
        runs++;
        inRun = 0;
        restart =
            runs < restarts
                ? block.start + BlockTrailer.restart(buffer, restartsAt, runs)
                : entriesEnd;
      }
      if (++inRun > tail.properties().restartInterval()) {
        throw block.damaged(at, inRun + " entries from one restart point on");
      }
      take(buffer, at, base, at == first ? number : 0);
      if (at == first) {
        firstKey = Arrays.copyOf(key, keyLength);
      }
      at = entry.next;
    }
    if (runs != restarts) {
      throw block.damaged(restartsAt, "a restart point where no entry begins");
    }
    if (tail.index().pages(number) > SstFormat.MAX_SHARED_PAGES && (runs > 1 || inRun > 1)) {
      throw block.damaged(first, "a block of so many pages holds more than one entry");
    }
  }

  /** Whether the entry can be read with the block's first key instead of the key before. */
  private void requireRestart(ByteBuffer buffer, int at, boolean first) {
    int shared = entry.shared;
    if (EntryHeader.repeatsLength(buffer, at)
        || (!first
            && (shared > firstKey.length
                || Bytes.compare(firstKey, 0, shared, key, 0, shared) != 0))) {
      throw block.damaged(at, "a restart point that needs the entry before");
    }
  }

  /** Checks the decoded entry against the one before, and makes it the one before. */
  private void take(ByteBuffer buffer, int at, long base, int newBlock) {
    long sequenceAndKind = entry.trailer(base);
    block.requireAllowed(at, sequenceAndKind, entry.valueLength());
    int suffixLength = entry.suffixLength();
    int length = entry.keyLength();
    if (length > key.length) {
      key = Arrays.copyOf(key, 2 * length);
      suffix = new byte[2 * length];
    }
    buffer.get(entry.suffixAt, suffix, 0, suffixLength);
    if (length > EntryLimits.MAX_KEY_BYTES || entry.valueLength() > EntryLimits.MAX_VALUE_BYTES) {
      throw block.damaged(
          at, "a key of " + length + ", a value of " + entry.valueLength() + " bytes");
    }
    if (entries > 0 && !isBehindLast(suffixLength, Trailer.sequence(sequenceAndKind))) {
      throw block.damaged(at, "entries out of order");
    }
    if (newBlock > 0 && compareFence(newBlock) <= 0) {
      throw block.damaged(at, "the block before reaches behind the fence of block " + newBlock);
    }
    System.arraycopy(suffix, 0, key, entry.shared, suffixLength);
    keyLength = length;
    trailer = sequenceAndKind;
    if (newBlock > 0 && compareFence(newBlock) > 0) {
      throw block.damaged(at, "the entry lies before the fence of its block " + newBlock);
    }
    if (entries == 0) {
      requireKey("smallest key", tail.properties().smallestKey());
    }
    count();
  }

  /**
   * Whether the decoded entry follows the last one in internal order: they differ in the suffix.
   */
  private boolean isBehindLast(int suffixLength, long sequence) {
    int shared = entry.shared;
    int order = Bytes.compare(suffix, 0, suffixLength, key, shared, keyLength - shared);
    return order > 0 || (order == 0 && sequence < Trailer.sequence(trailer));
  }

  private int compareFence(int ofBlock) {
    return tail.index().compareFence(ofBlock, key, keyLength, Trailer.sequence(trailer));
  }

  private void count() {
    long sequence = Trailer.sequence(trailer);
    entries++;
    tombstones += Trailer.isTombstone(trailer) ? 1 : 0;
    rawBytes += keyLength + entry.valueLength();
    minSequence = Math.min(minSequence, sequence);
    maxSequence = Math.max(maxSequence, sequence);
  }

  private void requireProperty(String what, long actual, long expected) {
    if (actual != expected) {
      throw new CorruptionException(
          file,
          tail.footer().propertiesOffset(),
          what + " is " + actual + ", the properties say " + expected);
    }
  }

  private void requireKey(String what, byte[] expected) {
    if (Bytes.compare(key, 0, keyLength, expected, 0, expected.length) != 0) {
      throw new CorruptionException(
          file, tail.footer().propertiesOffset(), what + " differs from that of the properties");
    }
  }
}
