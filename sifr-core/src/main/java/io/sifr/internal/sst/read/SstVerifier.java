package io.sifr.internal.sst.read;

import io.sifr.config.KeyPrefix;
import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.sst.block.BlockView;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.EntryReader;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.format.SstProperties;
import io.sifr.internal.sst.format.SstTail;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.value.ValueRecord;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads an SST from its first byte to its last and trusts nothing: not even the writer, whose
 * errors have correct checksums.
 */
final class SstVerifier {
  private final BlockView block;
  private final SstTail tail;
  private final Function<@Nullable IndexPart, IndexPart> parts;
  private final LongPredicate filter;
  private final KeySketch.Builder sketch = new KeySketch.Builder();
  private final EntryReader reader;

  // The entry before the current one.
  private byte[] lastKey = new byte[64];
  private int lastKeyLength;
  private long lastTrailer;

  private final @Nullable KeyPrefix filterPrefix;
  private long entries;
  private long tombstones;
  private long lastExpiry;
  private long rawBytes;
  private final SortedMap<Long, Long> values = new TreeMap<>();
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
    this.reader = new EntryReader(block);
    this.tail = block.tail();
    this.parts = parts;
    this.filter = filter;
    this.filterPrefix = tail.properties().origin().filterPrefix();
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
    requireValues(properties);
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
    block.enter();
    reader.enter();
    while (reader.hasNext()) {
      int entry = reader.number() + 1;
      if (!reader.moveTo(entry)) {
        throw block.unreadable();
      }
      if (entry == block.groupBegin() && block.entryAt() != block.entriesAt()) {
        throw block.damaged(block.entryAt(), "the first entry does not follow the offsets");
      }
      if (entry == 0) {
        verifyFirst(part, number);
      }
      verifyEntry(entry);
      count();
      remember();
    }
    if (part.pages(number) > SstFormat.MAX_SHARED_PAGES && reader.number() > 0) {
      throw block.damaged(
          block.start,
          "a block of more than "
              + SstFormat.MAX_SHARED_PAGES
              + " pages holds more than one entry");
    }
    int markEnd = block.next() + BlockEntries.MARK_BYTES;
    tail.decoder()
        .requireZeros(block.buffer, markEnd, block.end, (long) block.fileOffset(markEnd) - markEnd);
  }

  /** Checks where the first entry of a block is, which is the current one. */
  private void verifyFirst(IndexPart part, int local) {
    int number = part.firstBlock() + local;
    if (number == 0) {
      requireKey("smallest key", tail.properties().smallestKey());
      return;
    }
    if (compareFence(part, local, lastKey, lastKeyLength, Trailer.sequence(lastTrailer)) <= 0) {
      throw block.damaged(
          block.entryAt(), "the previous block reaches past the fence of block " + number);
    }
    if (compareFence(part, local, reader.key, reader.keyLength, sequence()) > 0) {
      throw block.damaged(
          block.entryAt(), "the entry lies before the fence of its block " + number);
    }
  }

  /** Compares the fence of a block other than the SST's first with an entry. */
  private int compareFence(IndexPart part, int local, byte[] key, int length, long sequence) {
    return local > 0
        ? part.fences().compare(local - 1, key, length, sequence)
        : tail.top().compareFence(part.number(), key, length, sequence);
  }

  private void verifyEntry(int entry) {
    int at = block.entryAt();
    block.requireAllowed(reader.trailer);
    int length = reader.keyLength;
    if (length > EntryLimits.MAX_KEY_BYTES || block.valueLength() > EntryLimits.MAX_VALUE_BYTES) {
      throw block.damaged(
          at, "a key of " + length + ", a value of " + block.valueLength() + " bytes");
    }
    if (!block.isFilledUp(entry)) {
      throw block.damaged(at, "the word of the key is not filled up with zeros");
    }
    int order = Bytes.compare(reader.key, 0, length, lastKey, 0, lastKeyLength);
    if (entries > 0 && (order < 0 || (order == 0 && sequence() >= Trailer.sequence(lastTrailer)))) {
      throw block.damaged(at, "entries out of order");
    }
  }

  private void remember() {
    int length = reader.keyLength;
    if (length > lastKey.length) {
      lastKey = new byte[2 * length];
    }
    System.arraycopy(reader.key, 0, lastKey, 0, length);
    lastKeyLength = length;
    lastTrailer = reader.trailer;
  }

  private long sequence() {
    return Trailer.sequence(reader.trailer);
  }

  private void count() {
    long hash = KeyHash.of(reader.key, 0, reader.keyLength);
    if (!filter.test(hash)) {
      throw block.damaged(block.entryAt(), "the filter rules out a key of the SST");
    }
    int prefix = filterPrefix == null ? -1 : filterPrefix.lengthIn(reader.key, 0, reader.keyLength);
    if (prefix >= 0 && !filter.test(KeyHash.ofPrefix(reader.key, 0, prefix))) {
      throw block.damaged(block.entryAt(), "the filter rules out the prefix of a key of the SST");
    }
    sketch.add(hash, Trailer.isTombstone(reader.trailer), SeparatedKind.is(reader.trailer));
    long sequence = sequence();
    entries++;
    tombstones += Trailer.isTombstone(reader.trailer) ? 1 : 0;
    lastExpiry = Math.max(lastExpiry, expiry());
    rawBytes += reader.keyLength + block.valueLength();
    countValue();
    minSequence = Math.min(minSequence, sequence);
    maxSequence = Math.max(maxSequence, sequence);
  }

  private long expiry() {
    if (ExpiringKind.hasDue(reader.trailer)) {
      return block.buffer.slice(block.valueAt(), ExpiringKind.DUE_BYTES).getLong();
    }
    return Trailer.isTombstone(reader.trailer) ? 0 : ExpiringKind.NEVER;
  }

  private void countValue() {
    if (SeparatedKind.is(reader.trailer)) {
      try {
        Reference reference =
            Reference.decode(block.buffer.slice(block.valueAt(), Reference.BYTES));
        values.merge(reference.file(), ValueRecord.bytes(reference, reader.keyLength), Long::sum);
      } catch (IllegalArgumentException e) {
        throw block.damaged(block.entryAt(), "a reference to " + e.getMessage());
      }
    }
  }

  private void requireValues(SstProperties properties) {
    requireProperty("number of value files", values.size(), properties.values().size());
    for (ValueUse use : properties.values()) {
      requireProperty(
          "bytes of values in file " + use.file(),
          values.getOrDefault(use.file(), 0L),
          use.bytes());
    }
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
