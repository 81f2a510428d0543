package io.sifr.internal.sst.read;

import io.sifr.internal.entry.DelegatingIterator;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/** Restricts another iterator to the entries between two user keys, both included. */
final class ClippedIterator extends DelegatingIterator implements EntryIterator {
  private final EntryIterator whole;
  private final byte[] smallestKey;
  private final byte[] largestKey;
  private boolean valid;

  ClippedIterator(EntryIterator whole, byte[] smallestKey, byte[] largestKey) {
    this.whole = whole;
    this.smallestKey = smallestKey;
    this.largestKey = largestKey;
  }

  @Override
  public boolean seekToFirst() {
    long newest = Trailer.seek(Trailer.MAX_SEQUENCE);
    return notAfterLargest(whole.seek(smallestKey, 0, smallestKey.length, newest));
  }

  @Override
  public boolean seekToLast() {
    byte[] after = Bytes.successor(largestKey);
    return notBeforeSmallest(whole.seekBefore(after, 0, after.length));
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long trailer) {
    return Bytes.compare(key, offset, length, smallestKey, 0, smallestKey.length) < 0
        ? seekToFirst()
        : notAfterLargest(whole.seek(key, offset, length, trailer));
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length) {
    return Bytes.compare(key, offset, length, largestKey, 0, largestKey.length) > 0
        ? seekToLast()
        : notBeforeSmallest(whole.seekBefore(key, offset, length));
  }

  @Override
  public boolean next() {
    return notAfterLargest(current().next());
  }

  @Override
  public boolean previous() {
    return notBeforeSmallest(current().previous());
  }

  private boolean notAfterLargest(boolean found) {
    valid = found && compareKey(largestKey) <= 0;
    return valid;
  }

  private boolean notBeforeSmallest(boolean found) {
    valid = found && compareKey(smallestKey) >= 0;
    return valid;
  }

  private int compareKey(byte[] other) {
    int from = whole.keyOffset();
    return Arrays.compareUnsigned(
        whole.keyArray(), from, from + whole.keyLength(), other, 0, other.length);
  }

  @Override
  protected EntryIterator current() {
    if (!valid) {
      throw new IllegalStateException("the iterator is not positioned on an entry");
    }
    return whole;
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public void close() {
    whole.close();
  }
}
