package io.sifr.inspect.check;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.inspect.Finding;
import io.sifr.internal.util.KeyText;
import io.sifr.testing.DrawnStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens a damaged copy of a drawn store and asks it everything: each key of each database, cursors
 * in both directions. Each answer has to be right, or a {@link SifrException} that names the
 * damaged file.
 */
final class DamagedReading {
  /** What may be different from what was written. */
  enum Tolerance {
    /** Nothing. */
    NOTHING,
    /** A suffix of the writes may be missing, those that were not durable. */
    WRITES_NOT_DURABLE
  }

  /** How the damage shows. */
  enum Outcome {
    AT_OPEN,
    AT_READ,
    BY_CHECK_ONLY,
    HARMLESS
  }

  private final DrawnStore drawn;
  private final Set<byte[]> keys;
  private final Map<String, long[]> fingerprints = new HashMap<>();
  private final Map<String, NavigableMap<byte[], byte[]>> finalStates = new HashMap<>();

  DamagedReading(DrawnStore drawn) {
    this.drawn = drawn;
    this.keys = drawn.keysEverWritten();
    for (String database : DrawnStore.DATABASES) {
      fingerprints.put(database, drawn.fingerprints(database));
      finalStates.put(database, drawn.stateAfter(drawn.writes(), database));
    }
  }

  /**
   * Looks at a damaged copy.
   *
   * @param compacts whether to merge everything and to read it again: damage must not be copied
   *     into files whose checksums are right
   */
  Outcome look(Path directory, BitFlip flip, Tolerance tolerance, boolean compacts) {
    CheckReport report = TestChecks.run(DrawnStore.FILES, directory);
    boolean found = !report.isClean();
    Reading reading = new Reading(flip, tolerance);
    if (found) {
      reading.requireNames(report.findings());
    }
    Outcome shown = open(directory, reading, compacts);
    if (shown != Outcome.HARMLESS && !found) {
      throw new AssertionError("noticed " + shown + ", but the check found nothing");
    }
    return shown == Outcome.HARMLESS && found ? Outcome.BY_CHECK_ONLY : shown;
  }

  private Outcome open(Path directory, Reading reading, boolean compacts) {
    StoreOptions options =
        StoreOptions.builder().compaction(CompactionPolicy.splitForest(64, true)).build();
    Store store;
    try {
      store = TestStores.open(directory, options, DrawnStore.FILES);
    } catch (SifrException e) {
      reading.requireNames(e);
      return Outcome.AT_OPEN;
    }
    try {
      reading.readAll(store);
      if (compacts) {
        for (String database : DrawnStore.DATABASES) {
          reading.guarded(store.database(database)::compact);
        }
        reading.readAll(store);
      }
    } finally {
      reading.guarded(store::close);
    }
    return reading.noticed ? Outcome.AT_READ : Outcome.HARMLESS;
  }

  /** The answers of one store. */
  private final class Reading {
    private final BitFlip flip;
    private final Tolerance tolerance;
    private boolean noticed;

    Reading(BitFlip flip, Tolerance tolerance) {
      this.flip = flip;
      this.tolerance = tolerance;
    }

    /** Does something that may meet the damage. Returns whether it came to its end. */
    boolean guarded(Runnable action) {
      try {
        action.run();
        return true;
      } catch (SifrException e) {
        requireNames(e);
        noticed = true;
        return false;
      }
    }

    void requireNames(SifrException e) {
      boolean named =
          e instanceof CorruptionException damage
              ? damage.file().endsWith(flip.file())
              : String.valueOf(e.getMessage()).contains(flip.file());
      if (!named) {
        throw new AssertionError("the exception does not name the file", e);
      }
    }

    void requireNames(List<Finding> findings) {
      boolean named = findings.stream().anyMatch(finding -> finding.file().endsWith(flip.file()));
      if (!named) {
        throw new AssertionError("the findings do not name the file: " + findings);
      }
    }

    void readAll(Store store) {
      if (!store.databaseNames().equals(sorted(DrawnStore.DATABASES))) {
        throw new AssertionError("the databases are " + store.databaseNames());
      }
      BitSet possible = new BitSet();
      possible.set(0, drawn.writes() + 1);
      for (String name : DrawnStore.DATABASES) {
        Database database = store.database(name);
        NavigableMap<byte[], byte[]> seen = emptyMap();
        boolean whole = guarded(() -> iterate(database, seen));
        int writes = drawn.writes();
        if (whole && tolerance == Tolerance.WRITES_NOT_DURABLE) {
          possible.and(matching(name, seen));
          writes = possible.length() - 1;
        }
        if (writes < drawn.durableWrites()) {
          throw new AssertionError(
              "no state of "
                  + name
                  + " that durable writes led to; they are "
                  + drawn.durableWrites()
                  + " of "
                  + drawn.writes());
        }
        compare(database, stateAfter(writes, name), seen, whole);
      }
    }

    private void iterate(Database database, NavigableMap<byte[], byte[]> seen) {
      try (Cursor cursor = database.cursor()) {
        while (cursor.next()) {
          byte[] key = cursor.key();
          if (!seen.isEmpty() && Arrays.compareUnsigned(seen.lastKey(), key) >= 0) {
            throw new AssertionError("iteration over " + database + ": out of order");
          }
          seen.put(key, cursor.value());
        }
      }
    }

    private void iterateBackward(Database database, NavigableMap<byte[], byte[]> seen) {
      try (Cursor cursor = database.cursor()) {
        for (boolean on = cursor.last(); on; on = cursor.previous()) {
          byte[] key = cursor.key();
          if (!seen.isEmpty() && Arrays.compareUnsigned(seen.firstKey(), key) <= 0) {
            throw new AssertionError("backward iteration over " + database + ": out of order");
          }
          seen.put(key, cursor.value());
        }
      }
    }

    private void compare(
        Database database,
        NavigableMap<byte[], byte[]> expected,
        NavigableMap<byte[], byte[]> seen,
        boolean whole) {
      NavigableMap<byte[], byte[]> part =
          whole || seen.isEmpty() ? expected : expected.headMap(seen.lastKey(), true);
      requireSame("iteration", database, whole || !seen.isEmpty() ? part : seen, seen);
      for (byte[] key : keys) {
        guarded(
            () -> {
              byte @Nullable [] value = database.get(key);
              if (!Arrays.equals(value, expected.get(key))) {
                throw new AssertionError("wrong value of " + KeyText.of(key) + " in " + database);
              }
            });
      }
      NavigableMap<byte[], byte[]> back = emptyMap();
      boolean wholeBack = guarded(() -> iterateBackward(database, back));
      requireSame(
          "backward iteration",
          database,
          wholeBack ? expected : back.isEmpty() ? back : expected.tailMap(back.firstKey(), true),
          back);
    }
  }

  private static NavigableMap<byte[], byte[]> emptyMap() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  private static List<String> sorted(List<String> names) {
    List<String> sorted = new ArrayList<>(names);
    sorted.sort(null);
    return sorted;
  }

  private NavigableMap<byte[], byte[]> stateAfter(int writes, String database) {
    return writes == drawn.writes()
        ? finalStates.getOrDefault(database, Collections.emptyNavigableMap())
        : drawn.stateAfter(writes, database);
  }

  /** After how many writes the database held just that. */
  private BitSet matching(String database, Map<byte[], byte[]> content) {
    long print = 0;
    for (Map.Entry<byte[], byte[]> entry : content.entrySet()) {
      print += DrawnStore.fingerprint(entry.getKey(), entry.getValue());
    }
    long[] prints = fingerprints.getOrDefault(database, new long[0]);
    BitSet matching = new BitSet();
    for (int i = 0; i < prints.length; i++) {
      matching.set(i, prints[i] == print);
    }
    return matching;
  }

  private static void requireSame(
      String what,
      Database database,
      NavigableMap<byte[], byte[]> expected,
      NavigableMap<byte[], byte[]> actual) {
    if (expected.size() != actual.size()) {
      throw new AssertionError(
          what + " of " + database + ": " + actual.size() + " entries, not " + expected.size());
    }
    var entries = actual.entrySet().iterator();
    expected.forEach(
        (key, value) -> {
          var entry = entries.next();
          if (!Arrays.equals(key, entry.getKey()) || !Arrays.equals(value, entry.getValue())) {
            throw new AssertionError(
                what + " of " + database + ": a wrong entry at " + KeyText.of(key));
          }
        });
  }
}
