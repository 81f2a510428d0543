package io.sifr.internal.engine.conditions;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.Snapshots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The conditions on a store under which a write happens, at the moment at which it becomes visible.
 * Keys and values belong to it from the call on. Not thread-safe.
 */
public final class Conditions {
  private final List<Condition> all = new ArrayList<>(0);

  public Conditions() {}

  /** One of them. */
  sealed interface Condition {
    DatabaseHandle database();
  }

  /**
   * A key has a value, or none.
   *
   * @param value null: none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record HasValue(DatabaseHandle database, byte[] key, byte @Nullable [] value)
      implements Condition {}

  /** A key was not written since a snapshot. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record KeyUnchanged(DatabaseHandle database, byte[] key, Snapshots.Handle since)
      implements Condition {}

  /**
   * No key of a range was written since a snapshot.
   *
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record RangeUnchanged(
      DatabaseHandle database, byte @Nullable [] from, byte @Nullable [] to, Snapshots.Handle since)
      implements Condition {}

  /** Requires that a key has a value; null: that it has none. */
  public void requireValue(DatabaseHandle database, byte[] key, byte @Nullable [] value) {
    EntryLimits.checkKey(key);
    if (value != null) {
      var unused = EntryLimits.checkValue(value);
    }
    all.add(new HasValue(database, key, value));
  }

  /** Requires that a key was not written since a snapshot. */
  public void requireUnchanged(DatabaseHandle database, byte[] key, Snapshots.Handle since) {
    EntryLimits.checkKey(key);
    all.add(new KeyUnchanged(database, key, since));
  }

  /** Requires that no key of a range was written since a snapshot. */
  public void requireUnchanged(
      DatabaseHandle database,
      byte @Nullable [] from,
      byte @Nullable [] to,
      Snapshots.Handle since) {
    boolean isEmpty =
        to != null && Arrays.compareUnsigned(to, from == null ? Bytes.EMPTY : from) <= 0;
    if (!isEmpty) {
      all.add(new RangeUnchanged(database, from, to, since));
    }
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return all.isEmpty();
  }

  /** Number of conditions. */
  public int size() {
    return all.size();
  }

  /** Removes all. */
  public void clear() {
    all.clear();
  }

  List<Condition> all() {
    return all;
  }
}
