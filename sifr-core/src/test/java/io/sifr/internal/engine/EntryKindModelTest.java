package io.sifr.internal.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.engine.read.CursorHandle;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.Directories;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.TestKinds;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kinds of entries that only tests have go through log, memtables, flushes, compactions, point
 * reads in all schemes, multi-gets, cursors in both directions, snapshots and replay: nothing but
 * the kind itself has to know what it means. Longer: {@code -Dsifr.kinds.seeds=1000}; another first
 * seed: {@code -Dsifr.kinds.seed=…}.
 */
@Tag("model")
class EntryKindModelTest {
  private static final int SEEDS = Integer.getInteger("sifr.kinds.seeds", 15);
  private static final long FIRST_SEED = Long.getLong("sifr.kinds.seed", 1);
  private static final int STEPS = 500;
  private static final List<ReadMode> READ_MODES = List.of(ReadMode.values());

  @TempDir Path directory;

  @Test
  void storeAgreesWithASortedMap() throws Exception {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Path parent = directory.resolve("seed-" + seed);
      ReadMode reads = READ_MODES.get((int) (seed % READ_MODES.size()));
      try (EntryKindModel model = new EntryKindModel(seed, parent, reads, seed % 3 == 0 ? 0 : 10)) {
        try {
          model.run(STEPS);
        } catch (RuntimeException e) {
          throw new AssertionError(model.describe(), e);
        }
      }
    }
  }

  /** Under right checksums; the log is refused when the store is opened, an SST when it is read. */
  @Test
  void aStoreThatDoesNotKnowTheKindRefusesIt() throws Exception {
    byte[] key = "key".getBytes(US_ASCII);
    Path flushed = directory.resolve("flushed");
    Path logged = directory.resolve("logged");
    DiskFileSystem disk = new DiskFileSystem();
    try (StoreEngine engine =
        Opening.open(
            new Extensions(
                TestKinds.ALL,
                BlockCodecs.STANDARD,
                PolicyRules.withReads(Policies.of(StoreOptions.DEFAULT))),
            new NoSyncFileSystem(disk),
            flushed,
            StoreOptions.DEFAULT,
            StoreListener.NONE,
            null)) {
      BatchBuffer batch = new BatchBuffer();
      batch.add(engine.database("default"), TestKinds.OPTIONAL, key, key);
      engine.writes().write(batch, WriteOptions.BUFFERED);
      Directories.copy(flushed, logged);
      engine.flush();
    }
    String message = "an entry of kind 14 with a value of 3 bytes";
    assertThatThrownBy(() -> TestEngines.open(logged, StoreOptions.DEFAULT))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(message);
    try (StoreEngine engine = TestEngines.open(flushed, StoreOptions.DEFAULT)) {
      DatabaseHandle database = engine.database("default");
      for (SearchScheme scheme : SearchScheme.values()) {
        assertThatThrownBy(() -> engine.reads().get(database, key, StoreEngine.NOW, scheme))
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining(".sst is damaged at offset 57: " + message);
      }
      try (CursorHandle cursor =
          engine.openCursor(database, StoreEngine.NOW, null, null, SearchScheme.SERIAL)) {
        assertThatThrownBy(cursor::next)
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining(".sst is damaged at offset 57: " + message);
      }
      assertThat(engine.reads().get(database, new byte[1], StoreEngine.NOW, SearchScheme.SERIAL))
          .isNull();
    }
  }
}
