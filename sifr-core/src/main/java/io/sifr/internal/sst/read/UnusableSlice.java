package io.sifr.internal.sst.read;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * Replaces the entries of a slice whose SST cannot be opened, so that an iterator over many trees
 * still returns all keys before them. It is positioned where the first of them may be in the
 * direction of the last move. When that entry is accessed, which happens once no other source has
 * an entry before it, it throws the reason why the SST cannot be opened.
 */
final class UnusableSlice extends EntryIterator.Positioned implements EntryIterator {
  private final SstSlice slice;

  /** Replaces the entries of that slice. */
  UnusableSlice(SstSlice slice) {
    super(Bytes.EMPTY);
    this.slice = slice;
  }

  @Override
  public boolean seekToFirst() {
    byte[] smallest = slice.smallestKey();
    return positionAt(smallest, 0, smallest.length);
  }

  @Override
  public boolean seekToLast() {
    byte[] largest = slice.largestKey();
    return positionAt(largest, 0, largest.length);
  }

  @Override
  public boolean seek(byte[] target, int offset, int length, long trailer) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    if (Bytes.compare(target, offset, length, smallest, 0, smallest.length) <= 0) {
      return seekToFirst();
    }
    return Bytes.compare(target, offset, length, largest, 0, largest.length) > 0
        ? leave()
        : positionAt(target.clone(), offset, length);
  }

  @Override
  public boolean seekBefore(byte[] target, int offset, int length) {
    byte[] smallest = slice.smallestKey();
    byte[] largest = slice.largestKey();
    if (Bytes.compare(target, offset, length, largest, 0, largest.length) > 0) {
      return seekToLast();
    }
    return Bytes.compare(target, offset, length, smallest, 0, smallest.length) <= 0
        ? leave()
        : positionAt(target.clone(), offset, length);
  }

  /** Called only when the direction changes before the slice is reached: all of it is passed. */
  @Override
  public boolean next() {
    return leave();
  }

  /** As {@link #next}. */
  @Override
  public boolean previous() {
    return leave();
  }

  /**
   * @throws io.sifr.error.SifrException why the SST cannot be opened
   * @throws OutdatedException when it can be opened now
   */
  @Override
  public long trailer() {
    slice.sst().reader().requireUsable();
    throw new OutdatedException();
  }

  @Override
  public int valueLength() {
    throw notPositioned();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    throw notPositioned();
  }

  @Override
  public ByteBuffer value() {
    throw notPositioned();
  }

  @Override
  public void close() {
    valid = false;
  }
}
