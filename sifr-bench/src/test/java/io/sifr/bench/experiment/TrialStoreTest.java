package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.store.StoreKind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An experiment in this process notices wrong answers. */
class TrialStoreTest {
  private static final int ENTRIES = 500;

  @TempDir Path directory;
  private TrialStore store;

  @BeforeEach
  void load() {
    Laboratory laboratory =
        new Laboratory(
            Scale.TINY, 1, () -> false, directory, (spec, memory) -> List.of(), what -> {});
    store =
        new TrialStore(laboratory, "sifr", "trial", StoreKind.SIFR, Laboratory.TERMS, ENTRIES, 1);
    store.load();
  }

  @AfterEach
  void close() {
    store.close();
    assertThat(store.directory()).doesNotExist();
  }

  @Test
  void theNewestVersionIsFound() {
    long loaded = store.liveBytes();
    assertThat(store.userBytes()).isEqualTo(loaded);
    int bytes = store.put(7);
    assertThat(store.get(7)).isPositive();
    assertThat(store.miss(store.dataset().keys().missingKey(7))).isPositive();
    store.checkAll();
    assertThat(store.userBytes()).isEqualTo(loaded + bytes);
    assertThat(store.writtenBytes()).isPositive();
    assertThat(store.tableBytes()).isPositive();
  }

  @Test
  void aLostEntryIsNoticed() {
    store.store().delete(store.key(7));
    assertThatThrownBy(() -> store.get(7))
        .hasMessage("sifr has lost the newest version of entry 7");
    assertThatThrownBy(() -> store.checkAll()).hasMessage("sifr has 499 entries; 500 are right");
  }

  @Test
  void anOldVersionIsNoticed() {
    byte[] old = store.dataset().values().value(7, 1);
    store.put(7);
    store.store().put(store.key(7), old);
    assertThatThrownBy(() -> store.get(7)).hasMessageContaining("newest version of entry 7");
    assertThat(store.get(7, false)).isPositive();
    assertThatThrownBy(() -> store.checkAll()).hasMessageContaining("wrong version of entry 7");
  }

  @Test
  void anEntryNobodyPutIsNoticed() {
    byte[] key = store.dataset().keys().missingKey(7);
    store.store().put(key, new byte[1]);
    assertThatThrownBy(() -> store.miss(key)).hasMessageContaining("deleted or never put");
    assertThatThrownBy(() -> store.checkAll()).hasMessageContaining("wrong version of entry -1");
  }
}
