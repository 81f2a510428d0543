package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CursorSeesOneStateTest {
  private static final int KEYS = 800;

  @TempDir Path directory;

  @Test
  void whileAllIsOverwrittenAndMerged() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      store.flush();
      try (Cursor forward = database.cursor();
          Cursor backward = database.cursor()) {
        for (int i = 0; i < KEYS; i++) {
          if (i % 100 == 0) {
            SmallStores.fill(database, 0, KEYS, 2 + i);
            database.delete(key(i));
            if (i % 200 == 0) {
              database.compact();
            }
          }
          assertThat(forward.next()).isTrue();
          assertThat(forward.key()).isEqualTo(key(i));
          assertThat(forward.value()).isEqualTo(value(i, 1));
          assertThat(backward.previous()).isTrue();
          assertThat(backward.key()).isEqualTo(key(KEYS - 1 - i));
          assertThat(backward.value()).isEqualTo(value(KEYS - 1 - i, 1));
        }
        assertThat(forward.next()).isFalse();
        assertThat(backward.previous()).isFalse();
      }
    }
  }

  @Test
  void andKeepsNoMoreThanAHandfulOfFilesForIt() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      database.compact();
      assertThat(database.forest().ssts()).isGreaterThan(4);
      try (Cursor cursor = database.cursor()) {
        assertThat(cursor.next()).isTrue();
        for (int version = 2; version < 6; version++) {
          SmallStores.fill(database, 0, KEYS, version);
          database.compact();
        }
        // The state the cursor sees and the newest one are live; besides, it stands in one file.
        Waiting.until(
            "obsolete files are deleted",
            () -> SmallStores.files(directory, ".sst").size() <= database.forest().ssts() + 1);
        assertThat(cursor.value()).isEqualTo(value(0, 1));
        assertThat(SmallStores.rest(cursor)).isEqualTo(SmallStores.filled(1, KEYS, 1));
      }
      database.compact();
      Waiting.until(
          "all that the cursor kept is deleted",
          () -> SmallStores.files(directory, ".sst").size() == database.forest().ssts());
    }
  }

  /** Turning round, at both ends and in the middle, after the view has changed. */
  @Test
  void inBothDirections() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (String name : List.of("b", "d", "f")) {
        database.put(bytes(name), bytes(name));
      }
      try (Cursor cursor = database.cursor(KeyRange.between(bytes("b"), bytes("f")))) {
        List<String> seen = new ArrayList<>();
        Deque<Runnable> changes =
            new ArrayDeque<>(
                List.of(
                    store::flush,
                    () -> database.put(bytes("c"), bytes("new")),
                    database::compact,
                    () -> database.delete(bytes("b")),
                    database::compact));
        for (String move :
            List.of("next", "next", "next", "previous", "previous", "previous", "next")) {
          boolean found = move.equals("next") ? cursor.next() : cursor.previous();
          seen.add(found ? String.valueOf(SmallStores.text(cursor.key())) : "-");
          Runnable change = changes.poll();
          if (change != null) {
            change.run();
          }
        }
        assertThat(seen).containsExactly("b", "d", "-", "d", "b", "-", "b");
        assertThat(cursor.seek(bytes("c"))).isTrue();
        assertThat(SmallStores.text(cursor.key())).isEqualTo("d");
        assertThat(cursor.seekBefore(bytes("d"))).isTrue();
        assertThat(SmallStores.text(cursor.value())).isEqualTo("b");
        assertThat(cursor.seek(bytes("e"))).isFalse();
        assertThat(cursor.isValid()).isFalse();
      }
      assertThat(SmallStores.content(database).keySet()).containsExactly("c", "d", "f");
    }
  }
}
