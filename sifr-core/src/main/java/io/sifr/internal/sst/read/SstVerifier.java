package io.sifr.internal.sst.read;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.sst.format.EntryHeader;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstProperties;
import io.sifr.internal.sst.format.SstTail;
import io.sifr.internal.sst.format.StoredBlock.BlockTrailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads an SST from its first byte to its last and trusts nothing: not even the writer, whose
 * errors have correct checksums. A compaction is about to delete the only other copy of what it
 * wrote, so this is the last chance to detect a fault.
 */
final class SstVerifier {
  private final BlockView block;
  private final SstTail tail;
  private final Function<@Nullable IndexPart, IndexPart> parts;
  private final LongPredicate filter;
  private final KeySketch.Builder sketch = new KeySketch.Builder();
  private final EntryHeader.Reader reader = new EntryHeader.Reader();

  // The first key of the block, and the last entry of the block before.
  private byte[] firstKey = Bytes.EMPTY;
  private byte[] lastKey = Bytes.EMPTY;
  private long lastTrailer;

  private long entries;
  private long tombstones;
  private long lastExpiry;
  private long rawBytes;
  private long minSequence = Long.MAX_VALUE;
  private long maxSequence = -1;

  /**
   * @param block view of the blocks
   * @param parts gives the part after another one, or after null the first; each part is read anew,
   *     so that its blocks are checked anew
   * @param filter whether the filter says that a key with a hash may be in the SST
   */
  SstVerifier(
      BlockView block, Function<@Nullable IndexPart, IndexPart> parts, LongPredicate filter) {
    this.block = block;
    this.tail = block.tail();
    this.parts = parts;
    this.filter = filter;
  }

  /**
   * Checks every block.
   *
   * @return a sample of the keys, if there is one entry of each
   * @throws CorruptionException naming the first fault
   */
  KeySketch verify() {
    IndexPart part = null;
    for (int number = 0; number < tail.top().parts(); number++) {
      part = parts.apply(part);
      for (int i = 0; i < part.blocks(); i++) {
        block.show(part, i);
        verifyBlock(part, i);
      }
    }
    SstProperties properties = tail.properties();
    requireProperty("entries", entries, properties.counts().entries());
    requireProperty("tombstones", tombstones, properties.counts().tombstones());
    requireProperty(
        "time at which the values expire",
        lastExpiry == 0 ? ExpiringKind.NEVER : lastExpiry,
        properties.times().lastExpiry());
    requireProperty("bytes of keys and values", rawBytes, properties.counts().rawBytes());
    RangeTombstones ranges = properties.rangeTombstones();
    if (ranges != null) {
      minSequence = Math.min(minSequence, ranges.oldest());
      maxSequence = Math.max(maxSequence, ranges.newest());
    }
    long base = tail.baseSequence();
    requireProperty("smallest sequence number", minSequence - base, properties.sequences().min());
    requireProperty("largest sequence number", maxSequence - base, properties.sequences().max());
    requireKey("largest key", properties.largestKey());
    return sketch.toSketch();
  }

  private void verifyBlock(IndexPart part, int number) {
    ByteBuffer buffer = block.buffer;
    int end = block.end;
    int restarts = BlockTrailer.restarts(buffer, end);
    int restartsAt = BlockTrailer.restartsAt(buffer, end);
    reader.enter(buffer, block.start, end, block.baseSequence());
    int entriesEnd = reader.entriesEnd;
    tail.decoder()
        .requireZeros(
            buffer, entriesEnd, restartsAt, (long) block.fileOffset(entriesEnd) - entriesEnd);
    int first = reader.start;
    int restart = first;
    int runs = 0;
    int inRun = 0;
    while (reader.hasNext()) {
      if (!reader.decode()) {
        throw block.damaged(reader.at, "no entry can be read");
      }
      int at = reader.at;
      if (at == restart) {
        requireRestart(at == first);
        runs++;
        inRun = 0;
        restart =
            runs < restarts
                ? block.start + BlockTrailer.restart(buffer, restartsAt, runs)
                : entriesEnd;
      }
      if (++inRun > tail.properties().origin().restartInterval()) {
        throw block.damaged(at, inRun + " entries from one restart point on");
      }
      if (at == first) {
        takeFirst(part, number);
      } else {
        take(reader.isInOrder());
      }
    }
    if (runs != restarts) {
      throw block.damaged(restartsAt, "a restart point where no entry begins");
    }
    if (part.pages(number) > SstFormat.MAX_SHARED_PAGES && (runs > 1 || inRun > 1)) {
      throw block.damaged(
          first,
          "a block of more than "
              + SstFormat.MAX_SHARED_PAGES
              + " pages holds more than one entry");
    }
    lastKey = Arrays.copyOf(reader.key, reader.keyLength);
    lastTrailer = reader.trailer;
  }

  /** Checks that the entry can be read with the block's first key instead of the previous key. */
  private void requireRestart(boolean first) {
    int shared = reader.shared;
    if (reader.repeatsLength()
        || (!first
            && (shared > firstKey.length
                || Bytes.compare(firstKey, 0, shared, reader.key, 0, shared) != 0))) {
      throw block.damaged(reader.at, "a restart point that depends on the previous entry");
    }
  }

  /** Checks the first entry of a block, which was decoded. */
  private void takeFirst(IndexPart part, int local) {
    int number = part.firstBlock() + local;
    if (number > 0 && compareFence(part, local, lastKey, lastKey.length, lastSequence()) <= 0) {
      throw block.damaged(
          reader.at, "the previous block reaches past the fence of block " + number);
    }
    reader.take();
    firstKey = Arrays.copyOf(reader.key, reader.keyLength);
    int order = Arrays.compareUnsigned(firstKey, lastKey);
    requireSound(number == 0 || order > 0 || (order == 0 && sequence() < lastSequence()));
    if (number == 0) {
      requireKey("smallest key", tail.properties().smallestKey());
    } else if (compareFence(part, local, firstKey, firstKey.length, sequence()) > 0) {
      throw block.damaged(reader.at, "the entry lies before the fence of its block " + number);
    }
    count();
  }

  /** Compares the fence of a block other than the SST's first with an entry. */
  private int compareFence(IndexPart part, int local, byte[] key, int length, long sequence) {
    return local > 0
        ? part.fences().compare(local - 1, key, length, sequence)
        : tail.top().compareFence(part.number(), key, length, sequence);
  }

  private void take(boolean isInOrder) {
    reader.take();
    requireSound(isInOrder);
    count();
  }

  private void requireSound(boolean isInOrder) {
    int at = reader.at;
    block.requireAllowed(at, reader.trailer, reader.valueLength());
    int length = reader.keyLength;
    if (length > EntryLimits.MAX_KEY_BYTES || reader.valueLength() > EntryLimits.MAX_VALUE_BYTES) {
      throw block.damaged(
          at, "a key of " + length + ", a value of " + reader.valueLength() + " bytes");
    }
    if (!isInOrder) {
      throw block.damaged(at, "entries out of order");
    }
  }

  private long sequence() {
    return Trailer.sequence(reader.trailer);
  }

  private long lastSequence() {
    return Trailer.sequence(lastTrailer);
  }

  private void count() {
    long hash = KeyHash.of(reader.key, 0, reader.keyLength);
    if (!filter.test(hash)) {
      throw block.damaged(reader.at, "the filter rules out a key of the SST");
    }
    sketch.add(hash, Trailer.isTombstone(reader.trailer));
    long sequence = sequence();
    entries++;
    tombstones += Trailer.isTombstone(reader.trailer) ? 1 : 0;
    lastExpiry = Math.max(lastExpiry, expiry());
    rawBytes += reader.keyLength + reader.valueLength();
    minSequence = Math.min(minSequence, sequence);
    maxSequence = Math.max(maxSequence, sequence);
  }

  private long expiry() {
    if (ExpiringKind.is(reader.trailer)) {
      return block.buffer.slice(reader.valueAt, ExpiringKind.DUE_BYTES).getLong();
    }
    return Trailer.isTombstone(reader.trailer) ? 0 : ExpiringKind.NEVER;
  }

  private void requireProperty(String what, long actual, long expected) {
    if (actual != expected) {
      throw new CorruptionException(
          tail.file(),
          tail.footer().propertiesOffset(),
          what + " is " + actual + ", the properties say " + expected);
    }
  }

  private void requireKey(String what, byte[] expected) {
    if (Bytes.compare(reader.key, 0, reader.keyLength, expected, 0, expected.length) != 0) {
      throw new CorruptionException(
          tail.file(),
          tail.footer().propertiesOffset(),
          what + " differs from that of the properties");
    }
  }
}
