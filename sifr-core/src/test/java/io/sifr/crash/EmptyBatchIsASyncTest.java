package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.error.StoreFailedException;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A batch without operations that is to be durable makes durable what was written before it: many
 * programs have no other word for a sync.
 */
class EmptyBatchIsASyncTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int POWER_LOSSES = 20;
  private static final long SEED = Long.getLong("sifr.crash.seed", new Random().nextLong());

  private final Random random = new Random(SEED);

  /** How often what was written before is there after a power loss. */
  private int survivals(Consumer<Store> sync) {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    int survivals = 0;
    try (Store store = TestStores.open(DIRECTORY, StoreOptions.DEFAULT, disk.fileSystem())) {
      Database other = store.openOrCreateDatabase("other");
      store.database().put(new byte[] {1}, new byte[5000], WriteOptions.SYNC);
      store.database().put(new byte[] {2}, new byte[5000], WriteOptions.BUFFERED);
      other.put(new byte[] {3}, new byte[5000], WriteOptions.BUFFERED);
      sync.accept(store);
      for (int i = 0; i < POWER_LOSSES; i++) {
        CrashDisk left = disk.crash(random);
        try (Store again = TestStores.open(DIRECTORY, StoreOptions.DEFAULT, left.fileSystem())) {
          survivals += again.database("other").contains(new byte[] {3}) ? 1 : 0;
        }
      }
    }
    return survivals;
  }

  @Test
  void withSyncItMakesDurableWhatWasWrittenBefore() {
    assertThat(survivals(store -> store.write(new WriteBatch(), WriteOptions.SYNC)))
        .as("seed %d", SEED)
        .isEqualTo(POWER_LOSSES);
    WriteOptions options = WriteOptions.builder().durability(Durability.SYNC).build();
    assertThat(survivals(store -> store.write(new WriteBatch(), options)))
        .as("with options, seed %d", SEED)
        .isEqualTo(POWER_LOSSES);
    assertThat(survivals(EmptyBatchIsASyncTest::writeOnCondition))
        .as("with a condition, seed %d", SEED)
        .isEqualTo(POWER_LOSSES);
  }

  private static void writeOnCondition(Store store) {
    store.write(
        new WriteBatch().requireAbsent(store.database(), new byte[] {9}), WriteOptions.SYNC);
  }

  /** Else the test above would show nothing. */
  @Test
  void withoutSyncItDoesNot() {
    assertThat(survivals(store -> store.write(new WriteBatch(), WriteOptions.BUFFERED)))
        .as("seed %d", SEED)
        .isLessThan(POWER_LOSSES);
  }

  @Test
  void whatCannotBeSyncedIsNotSaidToBeDurable() {
    FaultyFileSystem faulty = new FaultyFileSystem(CrashDisk.with(DIRECTORY).fileSystem());
    try (Store store = TestStores.open(DIRECTORY, StoreOptions.DEFAULT, faulty)) {
      store.database().put(new byte[] {1}, new byte[10], WriteOptions.BUFFERED);
      faulty.failForGood(Operation.FORCE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      assertThatThrownBy(() -> store.write(new WriteBatch(), WriteOptions.SYNC))
          .isInstanceOf(StoreFailedException.class);
      faulty.heal();
    }
  }

  @Test
  void aConditionThatDoesNotHoldIsToldAsEver() {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    try (Store store = TestStores.open(DIRECTORY, StoreOptions.DEFAULT, disk.fileSystem())) {
      store.database().put(new byte[] {9}, new byte[10], WriteOptions.BUFFERED);
      assertThatThrownBy(() -> writeOnCondition(store)).isInstanceOf(ConflictException.class);
    }
  }
}
