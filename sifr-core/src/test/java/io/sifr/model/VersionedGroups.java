package io.sifr.model;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.WriteBatch;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A model that holds while others write. Keys come in groups; a group is written by one thread
 * only, all its keys in one batch and with one version, which counts up; some versions delete the
 * group. So who reads at one moment finds a group in one version, not older than the last that was
 * confirmed before and not newer than the last that was begun behind it. Thread-safe.
 */
final class VersionedGroups {
  private static final int GROUPS_A_WRITER = 40;
  private static final int KEYS_A_GROUP = 8;
  private static final int DELETES_ONE_IN = 4;
  private static final int VALUE_BYTES = 90;

  private final int writers;
  private final AtomicLongArray begun;
  private final AtomicLongArray confirmed;

  VersionedGroups(int writers) {
    this.writers = writers;
    this.begun = new AtomicLongArray(writers * GROUPS_A_WRITER);
    this.confirmed = new AtomicLongArray(writers * GROUPS_A_WRITER);
  }

  private static boolean deletes(long version) {
    return version % DELETES_ONE_IN == 0;
  }

  private static byte[] key(int group, int number) {
    return String.format("group%04d/%02d", group, number).getBytes(US_ASCII);
  }

  private static byte[] value(byte[] key, long version) {
    byte[] value =
        Arrays.copyOf(
            (version + " of " + new String(key, US_ASCII)).getBytes(US_ASCII), VALUE_BYTES);
    Arrays.fill(value, value.length / 2, value.length, (byte) version);
    return value;
  }

  /** The version that a value tells of. */
  private static long version(byte[] key, byte[] value) {
    String text = new String(value, US_ASCII);
    long version = Long.parseLong(text.substring(0, text.indexOf(' ')));
    assertThat(value).isEqualTo(value(key, version));
    return version;
  }

  /** Writes a group; each writer has its own thread. */
  void write(Store store, int writer, Random random) {
    int group = writer + writers * random.nextInt(GROUPS_A_WRITER);
    long version = begun.get(group) + 1;
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < KEYS_A_GROUP; i++) {
      byte[] key = key(group, i);
      if (deletes(version)) {
        batch.delete(store.database(), key);
      } else {
        batch.put(store.database(), key, value(key, version));
      }
    }
    begun.set(group, version);
    store.write(batch);
    confirmed.set(group, version);
  }

  private int anyGroup(Random random) {
    return random.nextInt(begun.length());
  }

  /** Whether a group may be found so. */
  private void check(int group, long confirmedBefore, @Nullable Long version) {
    long begunBehind = begun.get(group);
    if (version != null) {
      assertThat(version).as("version of group %d", group).isBetween(confirmedBefore, begunBehind);
      return;
    }
    boolean mayBeGone = false;
    for (long v = confirmedBefore; v <= begunBehind; v++) {
      mayBeGone |= deletes(v);
    }
    assertThat(mayBeGone)
        .as("group %d is gone, in a version from %d to %d", group, confirmedBefore, begunBehind)
        .isTrue();
  }

  /** Gets a key. */
  void get(Store store, Random random) {
    int group = anyGroup(random);
    byte[] key = key(group, random.nextInt(KEYS_A_GROUP));
    long before = confirmed.get(group);
    byte[] value = store.database().get(key);
    check(group, before, value == null ? null : Long.valueOf(version(key, value)));
  }

  /** Walks over all groups, in either direction. */
  void scan(Store store, Random random) {
    boolean forward = random.nextBoolean();
    long[] before = versions(confirmed);
    try (Cursor cursor = store.database().cursor()) {
      // The cursor's moment is over when it is open.
      long[] behind = versions(begun);
      @Nullable Long[] found = new Long[before.length];
      int[] keys = new int[before.length];
      while (forward ? cursor.next() : cursor.previous()) {
        note(cursor, found, keys);
      }
      for (int group = 0; group < before.length; group++) {
        assertThat(keys[group]).as("keys of group %d", group).isIn(0, KEYS_A_GROUP);
        check(group, before[group], found[group]);
        if (found[group] != null) {
          assertThat(found[group]).isLessThanOrEqualTo(behind[group]);
        }
      }
    }
  }

  private static void note(Cursor cursor, @Nullable Long[] found, int[] keys) {
    byte[] key = cursor.key();
    int group = Integer.parseInt(new String(key, "group".length(), 4, US_ASCII));
    long version = version(key, cursor.value());
    if (found[group] != null) {
      assertThat(version).as("version of a group").isEqualTo(found[group]);
    }
    found[group] = version;
    keys[group]++;
  }

  private static long[] versions(AtomicLongArray array) {
    long[] copy = new long[array.length()];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = array.get(i);
    }
    return copy;
  }

  /** Reads a few groups at a snapshot, by gets, and again later, by a cursor. */
  void readSnapshotTwice(Store store, Random random) {
    long[] before = versions(confirmed);
    try (Snapshot snapshot = store.snapshot()) {
      int[] chosen = random.ints(10, 0, before.length).toArray();
      @Nullable Long[] found = new Long[chosen.length];
      for (int i = 0; i < chosen.length; i++) {
        found[i] = whole(store.database(), chosen[i], snapshot);
        check(chosen[i], before[chosen[i]], found[i]);
      }
      if (random.nextInt(4) == 0) {
        // What was overwritten meanwhile is merged away now, but for this snapshot.
        store.database().compact();
      }
      for (int i = 0; i < chosen.length; i++) {
        byte[] first = key(chosen[i], 0);
        KeyRange range = KeyRange.prefix(Arrays.copyOf(first, first.length - 2));
        @Nullable Long[] again = new Long[before.length];
        int[] keys = new int[before.length];
        try (Cursor cursor = store.database().cursor(range, snapshot)) {
          while (cursor.next()) {
            note(cursor, again, keys);
          }
        }
        assertThat(again[chosen[i]]).as("group %d, read again", chosen[i]).isEqualTo(found[i]);
        assertThat(keys[chosen[i]]).isEqualTo(found[i] == null ? 0 : KEYS_A_GROUP);
      }
    }
  }

  /** The version of a group at a snapshot; null: it is deleted, or was never written. */
  private static @Nullable Long whole(Database database, int group, Snapshot snapshot) {
    Long found = null;
    for (int i = 0; i < KEYS_A_GROUP; i++) {
      byte[] key = key(group, i);
      byte[] value = database.get(key, snapshot);
      Long version = value == null ? null : Long.valueOf(version(key, value));
      if (i > 0) {
        assertThat(version).as("version of key %d of group %d", i, group).isEqualTo(found);
      }
      found = version;
    }
    return found;
  }

  /** Checks that all groups are as they were written last; nobody writes any more. */
  void checkNewest(Database database) {
    for (int group = 0; group < confirmed.length(); group++) {
      long version = confirmed.get(group);
      for (int i = 0; i < KEYS_A_GROUP; i++) {
        byte[] key = key(group, i);
        assertThat(database.get(key))
            .as("key %d of group %d", i, group)
            .isEqualTo(deletes(version) ? null : value(key, version));
      }
    }
  }
}
