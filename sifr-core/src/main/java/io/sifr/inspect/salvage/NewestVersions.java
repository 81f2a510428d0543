package io.sifr.inspect.salvage;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The newest version of each key among several runs, in the order of the keys. Which run it lies in
 * does not matter. For one thread.
 */
final class NewestVersions implements AutoCloseable {
  private final List<? extends ForwardIterator> runs;

  /** The runs that stand on an entry. */
  private final PriorityQueue<ForwardIterator> heads = new PriorityQueue<>(NewestVersions::compare);

  private byte[] key = Bytes.EMPTY;
  private long trailer;
  private byte @Nullable [] value;

  /** Reads the runs from their beginning, and closes them when it is closed. */
  NewestVersions(List<? extends ForwardIterator> runs) {
    this.runs = runs;
    try {
      runs.forEach(run -> addIf(run.seekToFirst(), run));
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  private void addIf(boolean isValid, ForwardIterator run) {
    if (isValid) {
      heads.add(run);
    }
  }

  /** Moves to the next key. Returns whether there is one. */
  boolean next() {
    ForwardIterator newest = heads.poll();
    if (newest == null) {
      return false;
    }
    key = Arrays.copyOfRange(newest.keyArray(), newest.keyOffset(), end(newest));
    trailer = newest.trailer();
    value = null;
    if (!Trailer.isTombstone(trailer)) {
      byte[] copy = new byte[newest.valueLength()];
      newest.copyValue(copy, 0);
      value = copy;
    }
    addIf(newest.next(), newest);
    skipOlder();
    return true;
  }

  private void skipOlder() {
    while (!heads.isEmpty() && isAtKey(heads.element())) {
      ForwardIterator older = heads.remove();
      addIf(older.next(), older);
    }
  }

  private boolean isAtKey(ForwardIterator run) {
    return Arrays.equals(key, 0, key.length, run.keyArray(), run.keyOffset(), end(run));
  }

  /** As within a run: by key, and versions of a key from the newest to the oldest. */
  private static int compare(ForwardIterator a, ForwardIterator b) {
    int order =
        Bytes.compare(
            a.keyArray(), a.keyOffset(), a.keyLength(), b.keyArray(), b.keyOffset(), b.keyLength());
    return order != 0 ? order : Long.compare(b.trailer(), a.trailer());
  }

  private static int end(ForwardIterator at) {
    return at.keyOffset() + at.keyLength();
  }

  byte[] key() {
    return key;
  }

  long sequence() {
    return Trailer.sequence(trailer);
  }

  /** The value; null when the key was deleted. */
  byte @Nullable [] value() {
    return value;
  }

  @Override
  public void close() {
    runs.forEach(ForwardIterator::close);
  }
}
