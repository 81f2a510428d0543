package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.event.StoreListener;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The leveled policy compacts what is in a fast directory column by column. */
class ColumnsLeaveTheContainerTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final int FAST_BYTES = 512 << 10;
  private static final int KEYS = 40_000;

  private final StoreFileSystem files = CrashDisk.with(DIRECTORY).fileSystem();
  private final List<StoreListener.CompactionEvent> columns = new CopyOnWriteArrayList<>();

  private Store open() {
    StoreOptions options =
        SmallStores.options()
            .compaction(CompactionPolicy.leveled())
            .readCompactionBytesPerSecond(0)
            .fastDirectory(FAST)
            .fastBytes(FAST_BYTES)
            .build();
    StoreListener listener =
        new StoreListener() {
          @Override
          public void compacted(CompactionEvent event) {
            if (event.inputs().stage() == 1 && event.reason() == CompactionReason.STAGE_FULL) {
              columns.add(event);
            }
          }
        };
    return TestStores.open(DIRECTORY, options, files, listener);
  }

  private void fill(Store store, Random random, int count) {
    Database database = store.database();
    for (int i = 0; i < count; i++) {
      database.put(key(random.nextInt(KEYS)), new byte[100]);
      if (i % 200 == 0) {
        store.awaitIdle();
      }
    }
    store.flush();
    store.awaitIdle();
  }

  private static StoreListener.Keys keys(StoreListener.CompactionEvent column) {
    return Objects.requireNonNull(column.inputs().keys());
  }

  /** How often a column began elsewhere than where the one before ended. */
  private int rounds() {
    int rounds = 0;
    byte[] last = null;
    for (StoreListener.CompactionEvent column : columns) {
      rounds += last != null && Arrays.equals(last, keys(column).above()) ? 0 : 1;
      last = keys(column).last();
    }
    return rounds;
  }

  @Test
  void eachBeginsWhereTheLastOneEnded() {
    Random random = new Random(45);
    try (Store store = open()) {
      fill(store, random, 20_000);
    }
    try (Store store = open()) { // which goes on where they were
      fill(store, random, 20_000);
    }
    assertThat(columns).hasSizeGreaterThan(20);
    assertThat(rounds()).isBetween(2, columns.size() / 4);
  }

  /** Which clips rows elsewhere. */
  @Test
  void aRequestForSomeKeysDoesNotMoveThem() {
    Random random = new Random(45);
    try (Store store = open()) {
      while (columns.size() < 5 || Arrays.compareUnsigned(lastEnd(), key(KEYS / 2)) > 0) {
        fill(store, random, 300);
      }
      byte[] end = lastEnd();
      store.database().compact(KeyRange.between(key(KEYS - 4000), key(KEYS - 2000)));
      columns.clear();
      while (columns.isEmpty()) {
        fill(store, random, 300);
      }
      assertThat(keys(columns.get(0)).above()).isEqualTo(end);
    }
  }

  private byte[] lastEnd() {
    return Objects.requireNonNull(keys(columns.get(columns.size() - 1)).last());
  }

  @Test
  void noneIsLarge() {
    try (Store store = open()) {
      fill(store, new Random(45), 30_000);
      assertThat(store.database().forest().stages()).hasSizeGreaterThan(1);
    }
    assertThat(columns)
        .allSatisfy(
            column -> assertThat(column.output().written().bytes()).isLessThan(FAST_BYTES / 2));
  }

  /** Space is free again long before the last column of a row is compacted. */
  @Test
  void theContainerIsNeverFull() {
    try (Store store = open()) {
      Random random = new Random(45);
      for (int i = 0; i < 50; i++) {
        fill(store, random, 600);
        long bytes =
            FileKind.SST.numbersIn(files, FAST).stream()
                .mapToLong(number -> files.size(FileKind.SST.path(FAST, number)))
                .sum();
        assertThat(bytes).isLessThan((long) (0.65 * FAST_BYTES));
      }
    }
  }
}
