package io.sifr.internal.entry;

import io.sifr.internal.entry.EntryIterator.KeyCopy;
import io.sifr.internal.entry.range.RangeTombstones;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decides, entry by entry, what a flush or a compaction need not write. Readers see the state at
 * the newest sequence number or at one of the live snapshots; an entry that none of them can see is
 * dropped:
 *
 * <ul>
 *   <li>A version of a key that a newer one hides, unless some snapshot sees it: one at least as
 *       new as this version and older than the oldest that hides it.
 *   <li>A version that a range tombstone hides, in the same way.
 *   <li>A tombstone that is not newer than the oldest snapshot and whose key no older source may
 *       hold. A reader would find nothing below it either: the later entries of that key in the
 *       same iteration are older, so the tombstone hides them from all snapshots and they are
 *       dropped by the first rule.
 * </ul>
 *
 * A tombstone newer than some snapshot is kept even if nothing below it is needed: it is not known
 * yet whether an older version will be kept for that snapshot, and if one was kept without its
 * tombstone, the deleted key would reappear for all later readers.
 *
 * <p>All versions of a key must be in one iteration: a continuation must begin with a new key. Not
 * thread-safe.
 */
public final class VersionFilter {
  private static final long NEVER = Long.MAX_VALUE;

  private final EntryKinds kinds;
  private final long[] snapshots;
  private final OlderSources olderSources;
  private final @Nullable RangeTombstones ranges;

  private KeyCopy key = new KeyCopy();
  private KeyCopy keyBefore = new KeyCopy();
  private boolean hasKey;
  private boolean firstOfKey;

  /**
   * Sequence number of the version of {@link #key}, kept or not, that hides what follows from
   * readers at that number or later; {@link #NEVER} when none does.
   */
  private long hiddenFrom;

  /**
   * Creates a filter for one iteration.
   *
   * @param kinds which entries there are
   * @param snapshots sequence numbers of the live snapshots, ascending; taken before the iteration
   *     begins; every later snapshot is at least as new as the newest sequence number at that time
   * @param olderSources consulted for tombstones only
   * @param ranges the range tombstones of all sources in the iteration; null for none
   */
  public VersionFilter(
      EntryKinds kinds,
      long[] snapshots,
      OlderSources olderSources,
      @Nullable RangeTombstones ranges) {
    this.ranges = ranges;
    this.kinds = kinds;
    this.snapshots = snapshots.clone();
    this.olderSources = olderSources;
    for (int i = 1; i < snapshots.length; i++) {
      if (snapshots[i - 1] > snapshots[i]) {
        throw new IllegalArgumentException("snapshots are not ascending at index " + i);
      }
    }
  }

  /** Whether the next entry must be written. */
  public boolean keep(byte[] keyArray, int keyOffset, int keyLength, long trailer) {
    long sequence = Trailer.sequence(trailer);
    boolean older = hasKey && key.equalTo(keyArray, keyOffset, keyLength);
    firstOfKey = !older;
    long hidden = older ? hiddenFrom : NEVER;
    if (ranges != null) {
      hidden = Math.min(hidden, ranges.oldestHiding(keyArray, keyOffset, keyLength, sequence));
    }
    boolean seen = hidden == NEVER || isSeen(sequence, hidden);
    if (!older) {
      KeyCopy free = keyBefore;
      keyBefore = key;
      key = free;
      key.set(keyArray, keyOffset, keyLength);
      hasKey = true;
      hiddenFrom = NEVER;
    }
    if (Resolution.settles(kinds, trailer)) {
      hiddenFrom = sequence;
    }
    if (!seen) {
      return false;
    }
    return !Trailer.isTombstone(trailer)
        || (snapshots.length > 0 && sequence > snapshots[0])
        || olderSources.mayHold(keyArray, keyOffset, keyLength);
  }

  /** Whether the last entry given was the newest of its key in this iteration. */
  public boolean isFirstOfKey() {
    return firstOfKey;
  }

  /** The key before that of the last entry given; empty when there was none. */
  public byte[] keyBefore() {
    return Arrays.copyOf(keyBefore.array(), keyBefore.length());
  }

  /** Whether a snapshot s sees a version: sequence ≤ s < hidden. */
  private boolean isSeen(long sequence, long hidden) {
    int at = Arrays.binarySearch(snapshots, sequence);
    int first = at >= 0 ? at : -at - 1;
    return first < snapshots.length && snapshots[first] < hidden;
  }
}
