package io.sifr.inspect.salvage;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the versions of each key in several runs that make up its value, in key order, as far as
 * range tombstones do not hide them: the newest, and older ones if it is an operand of a merge. It
 * does not matter which run holds a version; several may. Not thread-safe.
 */
final class NewestVersions implements AutoCloseable {
  private final List<? extends ForwardIterator> runs;
  private final @Nullable RangeTombstones ranges;

  /** The runs that are at an entry. */
  private final PriorityQueue<ForwardIterator> heads = new PriorityQueue<>(NewestVersions::compare);

  private byte[] key = Bytes.EMPTY;
  private long trailer;
  private final List<Version> versions = new ArrayList<>();

  /** A version of a key. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Version(EntryKind kind, byte[] value) {}

  /**
   * Reads the runs from their beginning, and closes them when it is closed.
   *
   * @param ranges the range tombstones; null for none
   */
  NewestVersions(List<? extends ForwardIterator> runs, @Nullable RangeTombstones ranges) {
    this.runs = runs;
    this.ranges = ranges;
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
    ForwardIterator newest = heads.peek();
    if (newest == null) {
      return false;
    }
    key = Arrays.copyOfRange(newest.keyArray(), newest.keyOffset(), end(newest));
    trailer = newest.trailer();
    findVersions();
    return true;
  }

  private void findVersions() {
    versions.clear();
    long deleted =
        ranges == null ? 0 : ranges.newestCovering(key, 0, key.length, Trailer.MAX_SEQUENCE);
    long last = -1;
    boolean more = true;
    while (!heads.isEmpty() && isAtKey(heads.element())) {
      ForwardIterator version = heads.remove();
      more &= Trailer.sequence(version.trailer()) >= deleted;
      if (more && version.trailer() != last) {
        last = version.trailer();
        EntryKind kind = EntryKinds.STANDARD.ofCode(Trailer.kind(last));
        if (kind != EntryKind.DELETE) {
          byte[] value = new byte[version.valueLength()];
          version.copyValue(value, 0);
          versions.add(new Version(kind, value));
        }
        more = !kind.settles();
      }
      addIf(version.next(), version);
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

  /** The versions that make up the value, newest first; none when the key was deleted. */
  List<Version> versions() {
    return versions;
  }

  @Override
  public void close() {
    runs.forEach(ForwardIterator::close);
  }
}
