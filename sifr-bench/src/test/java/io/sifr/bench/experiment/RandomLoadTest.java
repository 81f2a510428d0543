package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RandomLoadTest {
  private static final int ENTRIES = 5000;

  @TempDir Path directory;
  private final RandomLoad load = new RandomLoad(ENTRIES);
  private Store store;

  @BeforeEach
  void open() {
    store =
        Store.open(
            directory,
            StoreOptions.builder().writeBufferBytes(32 << 10).splitUnitBytes(16 << 10).build());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void putsAllAndFindsThemAgain() {
    load.putAll(store);
    assertThat(load.isComplete()).isTrue();
    load.checkAll(store);
  }

  @Test
  void goesOnWhereItStopped() {
    load.putUpTo(store, ENTRIES / 2);
    assertThat(load.acknowledged()).isEqualTo(ENTRIES / 2);
    load.checkAll(store);
    load.putAll(store);
    load.checkAll(store);
  }

  @Test
  void aLostEntryIsNoticed() {
    load.putAll(store);
    try (Cursor cursor = load.cursorInTheMiddle(store)) {
      store.database().delete(cursor.key());
    }
    assertThatThrownBy(() -> load.checkAll(store)).hasMessageContaining("is lost");
  }

  @Test
  void aWrongValueIsNoticed() {
    load.putAll(store);
    try (Cursor cursor = load.cursorInTheMiddle(store)) {
      store.database().put(cursor.key(), new byte[] {1, 2, 3});
    }
    assertThatThrownBy(() -> load.checkAll(store)).hasMessageContaining("never put");
  }

  @Test
  void aCursorShowsWhatWasThereWhenItWasOpened() {
    load.putUpTo(store, 100);
    try (Cursor cursor = load.cursorInTheMiddle(store)) {
      load.putAll(store);
      load.checkCursor(cursor, 100);
    }
    try (Cursor later = load.cursorInTheMiddle(store)) {
      assertThatThrownBy(() -> load.checkCursor(later, 100)).hasMessageContaining("are right");
    }
  }

  @Test
  void theWatchSeesWhatTheStoreTakes() {
    SpaceWatch watch = new SpaceWatch(store);
    try (watch) {
      load.putAll(store);
    }
    SpaceSample last = watch.samples().get(watch.samples().size() - 1);
    assertThat(last.liveBytes()).isEqualTo(store.statistics().get(Metric.LIVE_BYTES)).isPositive();
    assertThat(last.heldBytes()).isZero();
    assertThat(last.logBytes()).isBetween(1L, last.extraBytes());
    assertThat(watch.samples()).hasSizeGreaterThan(1);
  }
}
