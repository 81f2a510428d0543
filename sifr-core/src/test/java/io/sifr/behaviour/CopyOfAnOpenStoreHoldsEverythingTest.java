package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.LogAccess;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a process leaves that is killed: buffered writes included, deletes as well, and what was
 * flushed meanwhile is not done twice.
 */
class CopyOfAnOpenStoreHoldsEverythingTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void andSoDoesACopyOfTheOpenCopy(LogAccess access) throws IOException {
    Path crashed = directory.resolve("crashed");
    Path crashedAgain = directory.resolve("crashed-again");
    var expected = SmallStores.filled(0, 500, 1);
    expected.putAll(SmallStores.filled(100, 200, 2));
    for (int i = 150; i < 160; i++) {
      expected.remove(SmallStores.text(SmallStores.key(i)));
    }
    var options = SmallStores.options().logAccess(access).build();
    try (Store store = SmallStores.open(directory.resolve("store"), options)) {
      Database database = store.database();
      SmallStores.fill(store.openOrCreateDatabase("rare"), 0, 3, 1);
      SmallStores.fill(database, 0, 500, 1);
      SmallStores.fill(database, 100, 200, 2);
      for (int i = 150; i < 160; i++) {
        database.delete(SmallStores.key(i));
      }
      store.awaitIdle();
      SmallStores.copy(store.directory(), crashed);
    }
    try (Store store = SmallStores.open(crashed, options)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
      assertThat(SmallStores.content(store.database("rare"))).hasSize(3);
      SmallStores.fill(store.database(), 500, 520, 1);
      expected.putAll(SmallStores.filled(500, 520, 1));
      store.awaitIdle();
      SmallStores.copy(crashed, crashedAgain);
    }
    try (Store store = SmallStores.open(crashedAgain, options)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(expected);
    }
  }
}
