package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/** Walks the entries of one block forward, without an index and believing nothing. */
final class BlockWalk {
  private final EntryHeader entry = new EntryHeader();
  private byte[] array = Bytes.EMPTY;
  private ByteBuffer buffer = ByteBuffer.wrap(array);
  private int firstEntry;
  private int entriesEnd;
  private int next;
  private long base;

  private byte[] key = new byte[64];
  private int keyLength;
  private long trailer;

  /**
   * Takes a block whose checksum is right, and stands on none of its entries.
   *
   * @param start where it begins in the pages' buffer
   * @param end where it ends there
   * @param first where its first entry begins there
   * @return whether all its entries can be read
   * @throws UnsupportedFormatException when a newer version wrote it
   */
  boolean enter(Path file, SstPages pages, int start, int end, int first) {
    array = pages.array();
    buffer = pages.buffer();
    int codec = BlockTrailer.codec(buffer, end);
    if (codec != SstFormat.CODEC_NONE) {
      throw new UnsupportedFormatException(file, "codec of a block is " + codec);
    }
    try {
      BlockTrailer.check(file, buffer, start, first, end, start);
    } catch (CorruptionException e) {
      return false;
    }
    firstEntry = first;
    entriesEnd = BlockTrailer.entriesEnd(buffer, end);
    base = BlockTrailer.baseSequence(buffer, end);
    rewind();
    while (next < entriesEnd) {
      if (!decodeNext()) {
        return false;
      }
    }
    rewind();
    return true;
  }

  private void rewind() {
    next = firstEntry;
    keyLength = 0;
    trailer = 0;
  }

  /** Moves to the next entry. Returns whether there is one. */
  boolean next() {
    return next < entriesEnd && decodeNext();
  }

  private boolean decodeNext() {
    boolean isFirst = next == firstEntry;
    if (!entry.decode(buffer, next, entriesEnd, keyLength)) {
      return false;
    }
    int shared = entry.shared;
    int suffix = entry.suffixLength();
    int length = entry.keyLength();
    long decoded = entry.trailer(base);
    int order = Bytes.compare(array, entry.suffixAt, suffix, key, shared, keyLength - shared);
    if (length > EntryLimits.MAX_KEY_BYTES
        || decoded < 0
        || !EntryKinds.STANDARD.isAllowed(Trailer.kind(decoded), entry.valueLength())
        || (!isFirst
            && (order < 0
                || (order == 0 && Trailer.sequence(decoded) >= Trailer.sequence(trailer))))) {
      return false;
    }
    if (length > key.length) {
      key = Arrays.copyOf(key, 2 * length);
    }
    System.arraycopy(array, entry.suffixAt, key, shared, suffix);
    keyLength = length;
    trailer = decoded;
    next = entry.next;
    return true;
  }

  /** Array whose first {@link #keyLength} bytes are the user key. */
  byte[] key() {
    return key;
  }

  int keyLength() {
    return keyLength;
  }

  long trailer() {
    return trailer;
  }

  int valueLength() {
    return entry.valueLength();
  }

  /** The value, from position to limit. */
  ByteBuffer value() {
    return ByteBuffer.wrap(array, entry.valueAt, entry.valueLength()).slice().asReadOnlyBuffer();
  }

  void copyValue(byte[] target, int offset) {
    System.arraycopy(array, entry.valueAt, target, offset, entry.valueLength());
  }

  /** Bytes of the block whose first entry begins at {@code first}, if it holds only that entry. */
  static long bytesIfAlone(ByteBuffer buffer, int start, int first, int end) {
    EntryHeader header = new EntryHeader();
    return header.decode(buffer, first, end, 0)
        ? (long) header.next - start + BlockTrailer.bytes(1)
        : -1;
  }
}
