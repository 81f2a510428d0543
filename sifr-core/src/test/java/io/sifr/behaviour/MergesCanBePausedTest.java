package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergesCanBePausedTest {
  @TempDir Path directory;

  @Test
  void treesPileUpUntilMergesGoOn() {
    StoreOptions options =
        StoreOptions.builder().compaction(CompactionPolicy.splitForest(2)).build();
    try (Store store = Store.open(directory, options)) {
      store.pauseCompactions();
      Database database = store.database();
      for (int i = 0; i < 6; i++) {
        database.put(("key" + i % 3).getBytes(UTF_8), ("value" + i).getBytes(UTF_8));
        store.flush();
      }
      store.awaitIdle();
      assertThat(database.forest().trees()).isEqualTo(6);
      store.resumeCompactions();
      store.awaitIdle();
      assertThat(database.forest().trees()).isLessThan(3);
      assertThat(database.get("key2".getBytes(UTF_8))).isEqualTo("value5".getBytes(UTF_8));
    }
  }

  @Test
  void aPausedStoreClosesAndTheNextOneMerges() {
    StoreOptions options =
        StoreOptions.builder().compaction(CompactionPolicy.splitForest(2)).build();
    try (Store store = Store.open(directory, options)) {
      store.pauseCompactions();
      for (int i = 0; i < 4; i++) {
        store.database().put(new byte[] {(byte) i}, new byte[10]);
        store.flush();
      }
    }
    try (Store store = Store.open(directory, options)) {
      store.awaitIdle();
      assertThat(store.database().forest().trees()).isEqualTo(1);
    }
  }
}
