package io.sifr.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.testing.SearchLength;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cursors over long runs of deleted keys, which they learn to pass over, against a model; {@code
 * -Dsifr.queue.seeds=1000} for a long search.
 */
@Tag("model")
class QueueModelTest {
  private static final int KEYS = 3000;
  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .durability(Durability.NONE)
          .writeBufferBytes(256 << 10)
          .splitUnitBytes(16 << 10)
          .build();

  @TempDir Path directory;

  private final TreeMap<String, String> model = new TreeMap<>();

  private static String key(int number) {
    return String.format("%06d", number);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void readersSeeWhatTheyWouldSeeWithoutIt() {
    long first = Long.getLong("sifr.queue.seed", 1);
    for (long seed = first;
        seed < first + Integer.getInteger("sifr.queue.seeds", SearchLength.of(3, 6));
        seed++) {
      model.clear();
      run(seed, directory.resolve("store" + seed));
    }
  }

  private void run(long seed, Path path) {
    SplittableRandom random = new SplittableRandom(seed);
    int left = 1200;
    while (left > 0) {
      try (Store store = Store.builder(path).options(OPTIONS).open()) {
        Database database = store.database();
        Snapshot snapshot = store.snapshot();
        TreeMap<String, String> then = new TreeMap<>(model);
        boolean reopen = false;
        for (; left > 0 && !reopen; left--) {
          String situation = "seed " + seed + ", " + left + " operations left";
          int choice = random.nextInt(100);
          if (choice < 25) {
            write(database, random);
          } else if (choice < 50) {
            deleteRun(database, random);
          } else if (choice < 54) {
            store.flush();
          } else if (choice == 54) {
            database.compact();
          } else if (choice == 55) {
            reopen = true;
          } else if (choice < 60) {
            snapshot.close();
            snapshot = store.snapshot();
            then = new TreeMap<>(model);
          } else if (choice < 75) {
            ReadOptions old = ReadOptions.at(snapshot);
            read(situation, random, then, at(database, random, old));
          } else {
            read(situation, random, model, at(database, random, null));
          }
        }
        snapshot.close();
      }
    }
  }

  private void write(Database database, SplittableRandom random) {
    int from = random.nextInt(KEYS);
    int count = random.nextInt(4) == 0 ? 300 : 1 + random.nextInt(3);
    for (int i = from; i < Math.min(KEYS, from + count); i++) {
      String value = String.valueOf(random.nextInt());
      database.put(bytes(key(i)), bytes(value));
      model.put(key(i), value);
    }
  }

  private void deleteRun(Database database, SplittableRandom random) {
    boolean atHead = random.nextInt(3) == 0 && !model.isEmpty();
    int from = atHead ? Integer.parseInt(model.firstKey()) : random.nextInt(KEYS);
    int count = random.nextInt(3) == 0 ? 500 : 1 + random.nextInt(40);
    for (int i = from; i < Math.min(KEYS, from + count); i++) {
      database.delete(bytes(key(i)));
      model.remove(key(i));
    }
  }

  private static Cursor at(
      Database database, SplittableRandom random, @Nullable ReadOptions options) {
    KeyRange range =
        switch (random.nextInt(3)) {
          case 0 -> KeyRange.atLeast(bytes(key(0)));
          case 1 -> KeyRange.lessThan(bytes(key(KEYS)));
          default -> KeyRange.all();
        };
    return options == null ? database.cursor(range) : database.cursor(range, options);
  }

  private void read(
      String situation, SplittableRandom random, NavigableMap<String, String> seen, Cursor opened) {
    try (Cursor cursor = opened) {
      for (int i = 0; i < 6; i++) {
        String target = key(random.nextInt(KEYS));
        Map.Entry<String, String> expected;
        boolean on;
        int choice = random.nextInt(4);
        if (choice == 0) {
          expected = seen.firstEntry();
          on = cursor.first();
        } else if (choice == 1) {
          expected = seen.lastEntry();
          on = cursor.last();
        } else if (choice == 2) {
          expected = seen.ceilingEntry(target);
          on = cursor.seek(bytes(target));
        } else {
          expected = seen.lowerEntry(target);
          on = cursor.seekBefore(bytes(target));
        }
        check(situation, cursor, on, expected);
        for (int step = 0; step < 3 && expected != null; step++) {
          boolean forward = random.nextBoolean();
          String key = expected.getKey();
          expected = forward ? seen.higherEntry(key) : seen.lowerEntry(key);
          check(situation, cursor, forward ? cursor.next() : cursor.previous(), expected);
        }
      }
    }
  }

  private static void check(
      String situation, Cursor cursor, boolean on, Map.@Nullable Entry<String, String> expected) {
    assertThat(on).as(situation).isEqualTo(expected != null);
    if (expected != null) {
      assertThat(new String(cursor.key(), UTF_8)).as(situation).isEqualTo(expected.getKey());
      assertThat(new String(cursor.value(), UTF_8)).as(situation).isEqualTo(expected.getValue());
    }
  }
}
