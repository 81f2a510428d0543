package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactLeavesOneTreeTest {
  @TempDir Path directory;

  @Test
  void withoutTombstonesAndShadowedVersions() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (int version = 0; version < 4; version++) {
        SmallStores.fill(database, 0, 400, version);
        store.flush();
      }
      for (int i = 100; i < 300; i++) {
        database.delete(SmallStores.key(i));
      }
      database.compact();
      var expected = SmallStores.filled(0, 100, 3);
      expected.putAll(SmallStores.filled(300, 400, 3));
      assertThat(SmallStores.content(database)).isEqualTo(expected);
      assertThat(database.forest().trees()).isEqualTo(1);
      database.forest().stages().stream()
          .flatMap(stage -> stage.trees().stream())
          .forEach(
              tree -> {
                assertThat(tree.entries()).isEqualTo(200);
                assertThat(tree.ssts()).allMatch(sst -> sst.tombstones() == 0);
              });
      Waiting.until(
          "only live files are left",
          () -> SmallStores.files(directory, ".sst").size() == database.forest().ssts());
    }
  }

  @Test
  void andNothingWhenAllWasDeleted() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      database.compact();
      SmallStores.fill(database, 0, 100, 1);
      store.flush();
      for (int i = 0; i < 100; i++) {
        database.delete(SmallStores.key(i));
      }
      database.compact();
      assertThat(database.forest().ssts()).isZero();
      assertThat(SmallStores.content(database)).isEmpty();
    }
    try (Store store = SmallStores.open(directory)) {
      assertThat(SmallStores.content(store.database())).isEmpty();
      assertThat(SmallStores.files(directory, ".sst")).isEmpty();
    }
  }
}
