package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.internal.state.StateCrashPoint;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Gate;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A batch over several databases that is not logged is in their forests as a whole or not at all,
 * whatever has one of them flushed, as a reader beside the store sees it and as a killed process
 * leaves it.
 */
class UnloggedBatchesStayWholeTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withRangeTombstoneBytes(4 << 10);

  private static final StoreFileSystem DISK = new NoSyncFileSystem(new DiskFileSystem());

  private static final StoreOptions OPTIONS =
      SmallStores.options()
          .writeBufferBytes(16 << 10)
          .maxLogBytes(64 << 10)
          .durability(Durability.NONE)
          .build();

  private static final IngestOptions MOVING =
      IngestOptions.builder().files(IngestFiles.MOVE).build();

  /** More than a write buffer holds, and less than two. */
  private static final int ENTRIES_OF_A_BUFFER = 150;

  /** After so many a flush notices that its database was dropped. */
  private static final int ENTRIES_BEFORE_A_FLUSH_STOPS = 4096;

  @TempDir Path directory;
  private int copies;

  private Path source() {
    return directory.resolve("store");
  }

  private Store open(StoreFileSystem fileSystem) {
    return open(fileSystem, OPTIONS);
  }

  private Store open(StoreFileSystem fileSystem, StoreOptions options) {
    Store store = TestStores.open(source(), options, TUNING, fileSystem);
    DatabaseOptions merging =
        DatabaseOptions.builder().mergeOperator(MergeOperators.MAXIMUM).build();
    for (String name : List.of("x", "y", "z", "other")) {
      Database database = store.createDatabase(name, merging);
      database.put(bytes("old"), bytes("1"));
      database.put(bytes("older"), bytes("1"));
    }
    store.flush();
    return store;
  }

  /** What a store holds, by database. */
  private static Map<String, Map<String, String>> content(Store store) {
    Map<String, Map<String, String>> all = new TreeMap<>();
    store.databaseNames().forEach(name -> all.put(name, SmallStores.content(store.database(name))));
    return all;
  }

  private static Map<String, String> in(Map<String, Map<String, String>> content, String name) {
    return content.getOrDefault(name, Map.of());
  }

  private Map<String, Map<String, String>> leftByAKill() {
    try {
      Path copy = directory.resolve("copy-" + copies++);
      SmallStores.copy(source(), copy);
      try (Store store = TestStores.open(copy, OPTIONS, TUNING, DISK)) {
        return content(store);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, Map<String, String>> seenBeside() {
    try (Store reader = TestStores.openReadOnly(source(), OPTIONS, DISK)) {
      return content(reader);
    }
  }

  /** How a batch is written: each over x, y and z. */
  private enum Way {
    BATCH {
      @Override
      void write(Store store) {
        store.write(batch(store));
      }
    },
    CONDITIONS {
      @Override
      void write(Store store) {
        WriteBatch batch = batch(store);
        batch.requireValue(store.database("other"), bytes("old"), bytes("1"));
        try {
          store.write(batch);
        } catch (ConflictException e) {
          throw new AssertionError(e);
        }
      }
    },
    TRANSACTION {
      @Override
      void write(Store store) {
        try (Transaction transaction = store.beginTransaction()) {
          transaction.put(store.database("x"), bytes("new"), bytes("2"));
          transaction.deleteRange(store.database("y"), KeyRange.prefix(bytes("old")));
          transaction.put(store.database("z"), bytes("new"), bytes("2"));
          transaction.delete(store.database("z"), bytes("older"));
          transaction.commit();
        } catch (ConflictException e) {
          throw new AssertionError(e);
        }
      }
    };

    abstract void write(Store store);

    private static WriteBatch batch(Store store) {
      return new WriteBatch()
          .put(store.database("x"), bytes("new"), bytes("2"))
          .deleteRange(store.database("y"), KeyRange.prefix(bytes("old")))
          .merge(store.database("z"), bytes("new"), bytes("2"))
          .delete(store.database("z"), bytes("older"));
    }

    /** All or nothing of it is there. */
    static void assertAllOrNothing(Map<String, Map<String, String>> content, boolean isThere) {
      assertThat(in(content, "x").containsKey("new")).as("x").isEqualTo(isThere);
      assertThat(in(content, "y").containsKey("old")).as("y").isEqualTo(!isThere);
      assertThat(in(content, "y").containsKey("older")).as("y").isEqualTo(!isThere);
      assertThat(in(content, "z").containsKey("new")).as("z").isEqualTo(isThere);
      assertThat(in(content, "z").containsKey("older")).as("z").isEqualTo(!isThere);
    }
  }

  /** What flushes x. */
  private enum Trigger {
    COMPACT {
      @Override
      void flush(Store store) {
        store.database("x").compact();
      }
    },
    COMPACT_RANGE {
      @Override
      void flush(Store store) {
        store.database("x").compact(KeyRange.between(bytes("new"), bytes("other")));
      }
    },
    FULL_BUFFER {
      @Override
      void flush(Store store) {
        SmallStores.fill(store.database("x"), 0, ENTRIES_OF_A_BUFFER, 1);
        store.awaitIdle();
      }
    },
    LONG_LOG {
      @Override
      void flush(Store store) {
        store.database("x").put(key(0), value(0, 1), WriteOptions.BUFFERED);
        for (int i = 0; i < 3000; i++) {
          store.database("other").put(key(i % 10), value(i, 1), WriteOptions.BUFFERED);
        }
        store.awaitIdle();
      }
    },
    RANGE_TOMBSTONES {
      @Override
      void flush(Store store) {
        for (int i = 0; i < 400; i++) {
          store.database("x").deleteRange(KeyRange.between(key(2 * i), key(2 * i + 1)));
        }
        store.awaitIdle();
      }
    },
    INGEST {
      @Override
      void flush(Store store) {
        Path file = store.directory().resolveSibling("file");
        try (SstFileWriter writer = TestStores.writer(store, file)) {
          writer.put(key(0), value(0, 1));
          store.ingest(Map.of(store.database("x"), writer.finish().files()), MOVING);
        }
      }
    },
    BULK_LOAD {
      @Override
      void flush(Store store) {
        try (BulkLoader loader = store.database("x").bulkLoader().open()) {
          loader.put(key(0), value(0, 1));
          loader.finish();
        }
      }
    };

    abstract void flush(Store store);
  }

  @ParameterizedTest
  @EnumSource
  void whatHasOneFlushedFlushesTheOthers(Trigger trigger) {
    for (Way way : Way.values()) {
      try (Store store = open(DISK)) {
        way.write(store);
        Way.assertAllOrNothing(seenBeside(), false);
        Way.assertAllOrNothing(leftByAKill(), false);
        trigger.flush(store);
        Way.assertAllOrNothing(content(store), true);
        Way.assertAllOrNothing(seenBeside(), true);
        store.awaitIdle(); // files are copied one after the other
        Way.assertAllOrNothing(leftByAKill(), true);
      }
      Store.destroy(source());
    }
  }

  private static void putToBoth(Store store, String name, String other, String key) {
    store.write(
        new WriteBatch()
            .put(store.database(name), bytes(key), bytes("2"))
            .put(store.database(other), bytes(key), bytes("2")));
  }

  /** Databases that no batch has in common with those that are flushed are not. */
  @Test
  void batchesThatOverlapAreFlushedTogetherAndNoOthers() {
    try (Store store = open(DISK)) {
      var unused = store.openOrCreateDatabase("last");
      putToBoth(store, "y", "z", "a");
      putToBoth(store, "other", "last", "b");
      putToBoth(store, "x", "y", "c");
      putToBoth(store, "x", "y", "d");
      store.database("x").compact();
      Map<String, Map<String, String>> left = leftByAKill();
      assertThat(in(left, "x")).containsKeys("c", "d");
      assertThat(in(left, "y")).containsKeys("a", "c", "d");
      assertThat(in(left, "z")).containsKey("a");
      assertThat(in(left, "other")).doesNotContainKey("b");
      assertThat(in(left, "last")).isEmpty();
      // What is written from now on has nothing to do with what was flushed.
      putToBoth(store, "y", "z", "e");
      store.database("x").put(bytes("f"), bytes("2"));
      store.database("x").compact();
      left = leftByAKill();
      assertThat(in(left, "x")).containsKey("f");
      assertThat(in(left, "y")).doesNotContainKey("e");
      assertThat(in(left, "z")).doesNotContainKey("e");
    }
  }

  /** A batch that is logged is there whatever was flushed, with what is not logged before it. */
  @Test
  void loggedBatchesNeedNoFlush() {
    try (Store store = open(DISK)) {
      putToBoth(store, "x", "y", "a");
      store.write(
          new WriteBatch()
              .put(store.database("y"), bytes("b"), bytes("2"))
              .put(store.database("z"), bytes("b"), bytes("2")),
          WriteOptions.BUFFERED);
      assertThat(in(leftByAKill(), "y")).containsKey("b").doesNotContainKey("a");
      store.database("x").compact();
      Map<String, Map<String, String>> left = leftByAKill();
      assertThat(in(left, "x")).containsKey("a");
      assertThat(in(left, "y")).containsKeys("a", "b");
      assertThat(in(left, "z")).containsKey("b");
      assertThat(seenBeside()).isEqualTo(left);
    }
  }

  /** A full buffer of y waits to be flushed when x, which comes after it, is full as well. */
  @Test
  void oneThatFollowsAnotherBufferWaitsForIt() {
    Gate gate = new Gate();
    StoreFileSystem files =
        new ForwardingFileSystem(DISK) {
          @Override
          public AppendFile create(Path file) {
            if (file.toString().endsWith(".sst")) {
              gate.pass();
            }
            return super.create(file);
          }
        };
    try (Store store = open(files)) {
      gate.close();
      SmallStores.fill(store.database("y"), 0, ENTRIES_OF_A_BUFFER, 1);
      gate.awaitArrival();
      Way.BATCH.write(store);
      SmallStores.fill(store.database("x"), 0, ENTRIES_OF_A_BUFFER, 1);
      Way.assertAllOrNothing(leftByAKill(), false);
      gate.open();
      store.awaitIdle();
      Map<String, Map<String, String>> left = leftByAKill();
      Way.assertAllOrNothing(left, true);
      assertThat(in(left, "y")).containsKey("key000000");
    }
  }

  /** One that is dropped while it is flushed is left out only when no crash restores it. */
  @Test
  void aDropInTheMiddleOfAFlushLeavesNoOtherPart() {
    Gate gate = new Gate();
    AtomicBoolean isSeen = new AtomicBoolean();
    Store[] opened = new Store[1];
    StoreFileSystem files =
        new ForwardingFileSystem(DISK) {
          @Override
          public AppendFile create(Path file) {
            if (file.toString().endsWith(".sst")) {
              gate.pass();
            }
            return super.create(file);
          }

          @Override
          public void reached(CrashPoint point) {
            super.reached(point);
            if (point == StateCrashPoint.DATABASE_DROP_BEGUN && isSeen.compareAndSet(false, true)) {
              gate.open();
              // Its flush comes after the one that is under way.
              opened[0].database("other").put(bytes("new"), bytes("2"));
              opened[0].database("other").compact();
              Map<String, Map<String, String>> left = seenBeside();
              assertThat(in(left, "other")).containsKey("new");
              Way.assertAllOrNothing(left, in(left, "x").containsKey("new"));
            }
          }
        };
    StoreOptions large =
        SmallStores.options().writeBufferBytes(4 << 20).durability(Durability.NONE).build();
    try (Store store = open(files, large)) {
      opened[0] = store;
      for (int i = 0; i < 2 * ENTRIES_BEFORE_A_FLUSH_STOPS; i++) {
        store.database("y").put(key(i), bytes(""));
      }
      Way.BATCH.write(store);
      gate.close();
      CompletableFuture<Void> flush = CompletableFuture.runAsync(store::flush);
      gate.awaitArrival();
      store.dropDatabase("y");
      assertThat(isSeen).isTrue();
      flush.join();
      assertThat(in(leftByAKill(), "x")).containsKey("new");
      assertThat(in(leftByAKill(), "z")).containsKey("new");
    }
  }

  /** As long as a crash restores a database that is being dropped, it has its part. */
  @Test
  void aDropIsDurableBeforeWhatItsBatchesWroteElsewhere() {
    AtomicBoolean isSeen = new AtomicBoolean();
    Store[] opened = new Store[1];
    StoreFileSystem files =
        new ForwardingFileSystem(DISK) {
          @Override
          public void reached(CrashPoint point) {
            super.reached(point);
            if (point == StateCrashPoint.DATABASE_DROP_BEGUN && isSeen.compareAndSet(false, true)) {
              // Full, so that it is to be flushed before the other database, which is compacted.
              SmallStores.fill(opened[0].database("x"), 0, ENTRIES_OF_A_BUFFER, 1);
              opened[0].database("other").put(bytes("new"), bytes("2"));
              opened[0].database("other").compact();
              Map<String, Map<String, String>> left = seenBeside();
              assertThat(in(left, "other")).containsKey("new");
              Way.assertAllOrNothing(left, false);
            }
          }
        };
    try (Store store = open(files)) {
      opened[0] = store;
      Way.BATCH.write(store);
      store.dropDatabase("y");
      assertThat(isSeen).isTrue();
      store.awaitIdle();
      Map<String, Map<String, String>> left = leftByAKill();
      assertThat(left).doesNotContainKey("y");
      assertThat(in(left, "x")).containsKey("new");
      assertThat(in(left, "z")).containsKey("new").doesNotContainKey("older");
    }
  }
}
