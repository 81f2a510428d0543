package io.sifr.internal.entry.range;

import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Spans of keys that cursors have found to be deleted: what they learned when they stepped over
 * many tombstones in a row. A reader passes over such a key range as over a range delete, so that a
 * queue, whose head is deleted key by key, finds its head at once.
 *
 * <p>If a cursor at a sequence number has found no key in a key range, then for any reader at that
 * one or a larger one, versions with sequence numbers up to that of the cursor do not matter there:
 * of each key the newest of them is a tombstone, or there is none. That remains true whatever is
 * written later, with larger numbers; so nothing has to be undone. A flush stores those that were
 * known when its memtable was full, as range tombstones, which are true as well.
 *
 * <p>Immutable.
 */
public final class DeadSpans implements TombstonePlace {
  /** No key ranges. */
  public static final DeadSpans NONE = new DeadSpans(List.of());

  /** The key ranges found last are kept. */
  static final int MOST_SPANS = 16;

  /** Ascending and disjoint. */
  private final List<Span> spans;

  /**
   * A key range.
   *
   * @param from its first key
   * @param to the key after the last one; null: there is none
   * @param deadBelow versions with smaller sequence numbers do not matter
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Span(byte[] from, byte @Nullable [] to, long deadBelow) {
    boolean endsAfter(byte[] key, int offset, int length) {
      byte[] end = to;
      return end == null || Bytes.compare(key, offset, length, end, 0, end.length) < 0;
    }

    boolean beginsBefore(byte @Nullable [] end) {
      return end == null || Arrays.compareUnsigned(from, end) < 0;
    }

    boolean overlaps(byte @Nullable [] first, byte @Nullable [] end) {
      return (first == null || endsAfter(first, 0, first.length)) && beginsBefore(end);
    }
  }

  private DeadSpans(List<Span> spans) {
    this.spans = List.copyOf(spans);
  }

  /**
   * Those as range tombstones that hide something after a write, for a source in which no write is
   * newer than another one.
   *
   * @param after the sequence number of the newest write to the database that is in older sources
   * @param newest the sequence number of the newest write in the place; what a later reader has
   *     found was so when that write was done
   * @return null when there are none
   */
  public @Nullable RangeTombstones asTombstones(long after, long newest) {
    List<RangeTombstones.Fragment> fragments = new ArrayList<>();
    for (Span span : spans) {
      long sequence = Math.min(span.deadBelow - 1, newest);
      if (sequence > after) {
        fragments.add(new RangeTombstones.Fragment(span.from, span.to, new long[] {sequence}));
      }
    }
    return fragments.isEmpty() ? null : RangeTombstones.of(fragments);
  }

  /**
   * These and another one.
   *
   * @param from first key of the key range
   * @param to the key after the last one; null: there is none
   * @param sequence of a reader that found nothing in it
   */
  DeadSpans and(byte[] from, byte @Nullable [] to, long sequence) {
    Span added = new Span(from, to, sequence + 1);
    List<Span> all = new ArrayList<>();
    for (Span span : spans) {
      if (!span.overlaps(from, to)) {
        all.add(span);
      } else if (span.deadBelow > added.deadBelow) {
        return this; // found by a later reader
      } else {
        addRest(span, added, all);
      }
    }
    all.add(added);
    if (all.size() > MOST_SPANS) {
      all.stream().min(Comparator.comparingLong(Span::deadBelow)).ifPresent(all::remove);
    }
    all.sort(Comparator.comparing(Span::from, Arrays::compareUnsigned));
    return new DeadSpans(all);
  }

  /** Adds what lies before and after another key range. */
  private static void addRest(Span span, Span other, List<Span> into) {
    if (Arrays.compareUnsigned(span.from, other.from) < 0) {
      into.add(new Span(span.from, other.from, span.deadBelow));
    }
    byte[] end = other.to;
    if (end != null && span.endsAfter(end, 0, end.length)) {
      into.add(new Span(end, span.to, span.deadBelow));
    }
  }

  /** Those that have keys in a range; null for no bound. */
  public DeadSpans in(byte @Nullable [] from, byte @Nullable [] to) {
    return those(span -> span.overlaps(from, to));
  }

  /** Those in which nothing matters of what has sequence numbers up to that one. */
  public DeadSpans above(long sequence) {
    return those(span -> span.deadBelow > sequence);
  }

  /** The others. */
  public DeadSpans notAbove(long sequence) {
    return those(span -> span.deadBelow <= sequence);
  }

  private DeadSpans those(Predicate<Span> wanted) {
    // Nearly always there are none, and each cursor checks each tree.
    return spans.isEmpty() ? NONE : new DeadSpans(spans.stream().filter(wanted).toList());
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return spans.isEmpty();
  }

  /** Number of key ranges. */
  int size() {
    return spans.size();
  }

  @Override
  public long newestCovering(
      byte[] key, int offset, int length, long atMost, boolean exactly, KeyStretch around) {
    for (Span span : spans) {
      if (Bytes.compare(key, offset, length, span.from, 0, span.from.length) < 0) {
        around.before(span.from);
        return 0;
      }
      byte[] end = span.to;
      if (span.endsAfter(key, offset, length)) {
        around.notBefore(span.from);
        if (end != null) {
          around.before(end);
        }
        return span.deadBelow <= atMost + 1 ? span.deadBelow : 0;
      }
      if (end != null) {
        around.notBefore(end);
      }
    }
    return 0;
  }
}
