package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.error.ConflictException;
import io.sifr.event.Metric;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Gate;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many keys that are deleted one by one, as the head of a queue is: what cursors have found is
 * stored by the next flush.
 */
class DeletedRunsTest {
  @TempDir Path directory;

  private Store open() {
    return SmallStores.open(directory.resolve("store"));
  }

  private static void deleteUpTo(Database database, int end) {
    for (int i = 0; i < end; i++) {
      database.delete(key(i));
    }
  }

  private static void assertBeginsWith(Database database, int number) {
    try (Cursor cursor = database.cursor()) {
      assertThat(cursor.first()).isTrue();
      assertThat(cursor.key()).isEqualTo(key(number));
    }
  }

  private static long tombstones(Database database) {
    return database.forest().stages().stream()
        .flatMap(stage -> stage.trees().stream())
        .flatMap(tree -> tree.ssts().stream())
        .mapToLong(sst -> sst.tombstones())
        .sum();
  }

  @Test
  void aFlushDropsTheTombstonesOfARun() {
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, 500, 1);
      store.flush();
      store.pauseCompactions();
      deleteUpTo(database, 200);
      store.flush();
      assertThat(tombstones(database)).isEqualTo(200);
      deleteUpTo(database, 200);
      assertBeginsWith(database, 200);
      database.delete(key(200));
      store.flush();
      assertThat(tombstones(database)).isLessThan(210);
      assertThat(store.statistics().get(Metric.RANGE_TOMBSTONES)).isPositive();
      assertBeginsWith(database, 201);
      store.resumeCompactions();
      store.awaitIdle();
      assertBeginsWith(database, 201);
    }
    try (Store store = open()) {
      assertBeginsWith(store.database(), 201);
      for (int i = 0; i < 500; i++) {
        assertThat(store.database().get(key(i))).isEqualTo(i < 201 ? null : value(i, 1));
      }
    }
  }

  @Test
  void whatIsWrittenAgainIsThere() {
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, 300, 1);
      store.flush();
      deleteUpTo(database, 200);
      assertBeginsWith(database, 200);
      SmallStores.fill(database, 50, 60, 2);
      store.flush();
      assertBeginsWith(database, 50);
      database.compact();
      assertBeginsWith(database, 50);
      SmallStores.fill(database, 10, 20, 3);
      assertBeginsWith(database, 10);
    }
    try (Store store = open()) {
      assertThat(store.database().get(key(10))).isEqualTo(value(10, 3));
      assertThat(store.database().get(key(55))).isEqualTo(value(55, 2));
      assertThat(store.database().get(key(100))).isNull();
    }
  }

  /** A key in such a run that nobody has written is not changed. */
  @Test
  void aSnapshotSeesNoChangeWhereNothingWasWritten() {
    try (Store store = open()) {
      Database database = store.database();
      byte[] never = SmallStores.bytes("key000100 never");
      SmallStores.fill(database, 0, 300, 1);
      store.flush();
      try (Snapshot before = store.snapshot()) {
        deleteUpTo(database, 200);
        assertBeginsWith(database, 200);
        store.flush();
        store.write(
            new WriteBatch()
                .requireUnchanged(database, never, before)
                .put(database, key(900), value(900, 1)));
        assertThatThrownBy(
                () ->
                    store.write(
                        new WriteBatch()
                            .requireUnchanged(database, key(100), before)
                            .put(database, key(901), value(901, 1))))
            .isInstanceOf(ConflictException.class);
        try (Cursor cursor = database.cursor(KeyRange.all(), ReadOptions.at(before))) {
          assertThat(SmallStores.rest(cursor)).hasSize(300);
        }
      }
    }
  }

  /** What was ingested after a cursor had found the run is newer than all that it has found. */
  @Test
  void whatIsIngestedIntoARunIsThere() {
    try (Store store = open()) {
      Database database = store.database();
      Database other = store.openOrCreateDatabase("other");
      SmallStores.fill(database, 0, 300, 1);
      deleteUpTo(database, 200);
      SmallStores.fill(other, 0, 10, 1);
      assertBeginsWith(database, 200);
      List<Path> files;
      try (SstFileWriter writer =
          SstFileWriter.create(directory.resolve("file"), SmallStores.options().build())) {
        for (int i = 100; i < 110; i++) {
          writer.put(key(i), value(i, 2));
        }
        files = writer.finish().files();
      }
      store.ingest(Map.of(database, files), IngestOptions.DEFAULT);
      database.put(key(999), value(999, 1));
      store.flush();
      assertBeginsWith(database, 100);
      assertThat(database.get(key(105))).isEqualTo(value(105, 2));
      database.compact();
      assertThat(database.get(key(105))).isEqualTo(value(105, 2));
    }
  }

  /** What was deleted while the memtable waited for its flush is still there for a snapshot. */
  @Test
  void whatIsFoundLaterIsNotSaidOfTheMemtableBefore() {
    Gate gate = new Gate();
    StoreFileSystem held =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public AppendFile create(Path file) {
            if (file.toString().endsWith(".sst")) {
              gate.pass();
            }
            return super.create(file);
          }
        };
    StoreOptions options = SmallStores.options().writeBufferBytes(64 << 10).build();
    try (Store store = TestStores.open(directory.resolve("store"), options, held)) {
      Database database = store.database();
      SmallStores.fill(database, 0, 250, 1);
      store.flush();
      gate.close();
      // Two memtables are full: one is being flushed, the other one waits.
      SmallStores.fill(database, 0, 250, 2);
      SmallStores.fill(database, 1000, 1600, 1);
      gate.awaitArrival();
      SmallStores.fill(database, 0, 250, 3);
      SmallStores.fill(database, 2000, 2600, 1);
      try (Snapshot before = store.snapshot()) {
        deleteUpTo(database, 200);
        assertBeginsWith(database, 200);
        gate.open();
        store.flush();
        store.awaitIdle();
        for (int i = 0; i < 200; i++) {
          assertThat(database.get(key(i), ReadOptions.at(before))).isEqualTo(value(i, 3));
        }
      }
      assertBeginsWith(database, 200);
    }
  }
}
