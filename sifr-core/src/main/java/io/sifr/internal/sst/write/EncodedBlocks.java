package io.sifr.internal.sst.write;

import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.sst.format.SstFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Blocks that a codec has made smaller: each is filled until its stored form takes a page.
 *
 * <p>The stored size is known only after encoding, so entries are collected. When there are as many
 * as should fill the page, judging by the blocks before, they are encoded. If that is too much, the
 * last entries are left to the next block and the others encoded again; if it is less than seven
 * eighths of a page, further entries are waited for. Of entries so large that no number of them
 * fills a page well, the block takes more pages, up to {@value SstFormat#MAX_SHARED_PAGES}. A block
 * is encoded at most {@value #MOST_ATTEMPTS} times.
 *
 * <p>Where the codec is of no use the block is stored as it is, in pages that it fills. After each
 * failure in a row twice as many blocks, up to {@value #MOST_UNTRIED}, are stored so before the
 * codec is tried again.
 */
final class EncodedBlocks extends DataBlocks {
  private static final int MOST_ATTEMPTS = 3;
  private static final int MOST_UNTRIED = 16;

  /** The share of its pages that a block should fill before it is encoded. */
  private static final double FILLED = 0.97;

  /** The same when the last entries are left out because all of them are too much. */
  private static final double FILLED_AGAIN = 0.985;

  /** The weight of the last block in the ratio that is expected of the next. */
  private static final double WEIGHT_OF_LAST = 0.25;

  private final BlockCodec codec;
  private final PendingEntries pending = new PendingEntries();

  private final byte[] rawBytes = new byte[SstFormat.MAX_SHARED_BYTES + RawBlock.SLACK_BYTES];
  private final ByteBuffer rawView = ByteBuffer.wrap(rawBytes);

  /** The raw form of all pending entries or, in the course of {@link #cut}, of the first. */
  private final RawBlock raw = new RawBlock(pending);

  private int rawCount;

  /** Size of the raw form up to each entry. */
  private int[] rawEnds = new int[128];

  /** Size of the raw form at which it is encoded. */
  private double limit;

  /** Stored bytes per byte of the raw form, in the blocks before. */
  private double ratio = 0.5;

  /** The same for the current block, of which some may have been encoded already. */
  private double ratioOfBlock;

  /** True if the ratio is that of encoded blocks. */
  private boolean hasEncoded;

  private int pages = 1;
  private int attempts;

  /** True if the fence of the current block has begun. */
  private boolean hasFence = true;

  /** Blocks that are stored as they are, the current one included, before the codec is tried. */
  private int untried;

  private int failures;

  EncodedBlocks(BlockCodec codec, BlockWriter writer, FenceWriter fences) {
    super(writer, fences);
    this.codec = codec;
    begin();
  }

  /** Begins the next block with the pending entries. */
  private void begin() {
    ratioOfBlock = ratio;
    attempts = 0;
    growTo(1);
    rebuild(pending.count());
  }

  private void growTo(int newPages) {
    pages = newPages;
    limit = writer.room(pages) * FILLED / ratioOfBlock;
  }

  private boolean isFull(double payload) {
    return BlockWriter.isFull((int) payload, writer.room(pages), pages);
  }

  /** Makes the raw form one of that many pending entries, or of as many as it may have. */
  private void rebuild(int entries) {
    raw.begin();
    rawCount = 0;
    while (rawCount < entries) {
      long size =
          raw.measure(
              pending.keyLength(rawCount),
              pending.common(rawCount),
              pending.valueLength(rawCount),
              pending.trailer(rawCount));
      if (size > SstFormat.MAX_ENCODED_RAW_BYTES) {
        break;
      }
      addToRaw(size);
    }
  }

  private void addToRaw(long size) {
    raw.add();
    if (rawCount == rawEnds.length) {
      rawEnds = Arrays.copyOf(rawEnds, 2 * rawCount);
    }
    rawEnds[rawCount++] = (int) size;
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
    int before = fences.blocks();
    boolean added;
    do {
      if (untried > 0) {
        requireFence(key, keyOffset, keyLength, common, sequenceBefore);
        added = writer.takes(keyLength, common, source.valueLength(), trailer);
        if (added) {
          writer.append(source, key, keyOffset, keyLength, common, trailer, sequenceBefore);
        } else {
          closeUntried();
        }
      } else {
        added = collect(source, key, keyOffset, keyLength, common, trailer, sequenceBefore);
      }
    } while (!added);
    return fences.blocks() > before;
  }

  /** Adds an entry to those pending, unless a block must be closed first. */
  private boolean collect(
      ForwardIterator source,
      byte[] key,
      int keyOffset,
      int keyLength,
      int common,
      long trailer,
      long sequenceBefore) {
    if (rawCount < pending.count()) {
      cut(true);
      return false;
    }
    long size = raw.measure(keyLength, common, source.valueLength(), trailer);
    if (size > SstFormat.MAX_ENCODED_RAW_BYTES) {
      if (pending.count() > 0) {
        cut(true);
      } else {
        untried = 1; // too large to be encoded
      }
      return false;
    }
    if (size > limit && rawCount > 0 && size * ratioOfBlock > writer.room(pages)) {
      if (isFull(raw.bytes() * ratioOfBlock)) {
        cut(false); // without the entry, which is probably one too many
        return false;
      }
      growTo(writer.pagesFor((long) (size * ratioOfBlock)));
    }
    requireFence(key, keyOffset, keyLength, common, sequenceBefore);
    pending.add(source, key, keyOffset, keyLength, common, trailer, sequenceBefore);
    addToRaw(size);
    if (size > limit) {
      cut(false);
    }
    return true;
  }

  private void requireFence(byte[] key, int offset, int length, int common, long sequenceBefore) {
    if (!hasFence) {
      beginFence(key, offset, length, common, sequenceBefore);
      hasFence = true;
    }
  }

  /** The same for a block that begins with the current one of the pending entries. */
  private void requireFence() {
    requireFence(
        pending.keyArray(),
        pending.keyOffset(),
        pending.keyLength(),
        pending.common(),
        pending.sequenceBefore());
  }

  /**
   * Closes a block with the first pending entries, if there are enough.
   *
   * @param always even if there are too few
   */
  private void cut(boolean always) {
    int payload = encode();
    while (payload >= 0) {
      int room = writer.room(pages);
      boolean isLastTry = attempts >= MOST_ATTEMPTS;
      if (payload <= room) {
        boolean mayGrow = !always && !isLastTry && rawCount == pending.count();
        if (!mayGrow || isFull(payload)) {
          closeEncoded(payload);
        } else {
          ratioOfBlock = (double) payload / raw.bytes();
          growTo(pages);
        }
        return;
      }
      int fewer = isLastTry ? 0 : filling(room, payload);
      if (fewer > 0) {
        rebuild(fewer);
        payload = encode();
      } else {
        pages = writer.pagesFor(payload);
      }
    }
    storeAsItIs();
  }

  /**
   * Encodes the raw form.
   *
   * @return size of the payload; negative if the codec is of no use
   */
  private int encode() {
    if (rawCount == 0) {
      return -1; // a single entry that is too large without the key before it
    }
    attempts++;
    int bytes = raw.writeTo(rawBytes, 0);
    ByteBuffer target = writer.payload();
    int from = target.position();
    return codec.encode(rawView.duplicate().limit(bytes), target) ? target.position() - from : -1;
  }

  /** The entries of the raw form that are likely to fill that room; 0 if they would not fill it. */
  private int filling(int room, int payload) {
    int bytes = raw.bytes();
    double allowed = bytes * FILLED_AGAIN * room / payload;
    int at = Arrays.binarySearch(rawEnds, 0, rawCount, (int) allowed);
    int entries = at < 0 ? -at - 1 : at + 1;
    if (entries == 0 || entries == rawCount) {
      return 0;
    }
    double expected = (double) payload * rawEnds[entries - 1] / bytes;
    return isFull(expected) ? entries : 0;
  }

  private void closeEncoded(int payload) {
    int bytes = raw.bytes();
    fences.end(writer.closeEncoded(payload, bytes, codec));
    ratio += ((double) payload / bytes - ratio) * (hasEncoded ? WEIGHT_OF_LAST : 1);
    hasEncoded = true;
    failures = 0;
    beginWithout(rawCount);
  }

  /** Begins the next block, if there are pending entries for it after the first so many. */
  private void beginWithout(int entries) {
    hasFence = false;
    pending.removeFirst(entries);
    if (pending.seekToFirst()) {
      requireFence();
    }
    begin();
  }

  private void storeAsItIs() {
    untried = Math.min(1 << failures, MOST_UNTRIED);
    failures = Math.min(failures + 1, Integer.SIZE - 2);
    ratio = 1;
    hasEncoded = false;
    int stored = 0;
    pending.seekToFirst();
    while (pending.valid() && untried > 0) {
      requireFence();
      if (writer.takes(
          pending.keyLength(), pending.common(), pending.valueLength(), pending.trailer())) {
        append(pending);
        stored++;
        pending.next();
      } else {
        closeUntried();
      }
    }
    if (untried == 0) {
      beginWithout(stored);
    } else {
      pending.removeFirst(stored);
    }
  }

  private void append(PendingEntries entry) {
    writer.append(
        entry,
        entry.keyArray(),
        entry.keyOffset(),
        entry.keyLength(),
        entry.common(),
        entry.trailer(),
        entry.sequenceBefore());
  }

  /** Closes a block that is stored as it is. */
  private void closeUntried() {
    close();
    hasFence = false;
    untried--;
    if (untried == 0) {
      begin();
    }
  }

  @Override
  void finish() {
    while (pending.count() > 0) {
      cut(true);
    }
    if (untried > 0) {
      close();
    }
    writer.flush();
  }

  /** Stored as they are, the pending entries take most; all their blocks but the last are full. */
  @Override
  long end() {
    if (untried > 0) {
      return writer.end();
    }
    int most = 2 * writer.pagesFor(raw.bytes()) + 1;
    return (writer.position() & -SstFormat.PAGE_BYTES) + (long) most * SstFormat.PAGE_BYTES;
  }

  @Override
  long entriesEnd() {
    return untried > 0 ? writer.entriesEnd() : writer.position() + (long) (raw.bytes() * ratio);
  }
}
