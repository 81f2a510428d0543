package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.SimulatedCrash;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What is synced in a directory is lost with the name of the directory. An opening that is killed
 * has made names that nobody has synced; the next one finds them there and cannot tell.
 */
class DirectoryNameIsDurableTest {
  private static final Path DIRECTORY = Path.of("/made", "by", "opening");
  private static final byte[] KEY = {1};
  private static final byte[] VALUE = {2};
  private static final int POWER_LOSSES = 5;
  private static final long SEED = Long.getLong("sifr.crash.seed", 1);
  private static final StoreOptions OPTIONS =
      StoreOptions.builder().writeBufferBytes(8192).logSegmentBytes(8192).build();

  private final Random random = new Random(SEED);

  @Test
  void alsoAfterAnOpeningThatWasKilledAtAnyCall() {
    boolean killed = true;
    for (int call = 1; killed; call++) {
      CrashDisk disk = new CrashDisk();
      disk.crashAt(call, CrashDisk.Moment.AFTER);
      killed = isKilledWhileOpening(disk);
      try {
        assertSyncedWriteSurvivesPowerLoss(disk.kill());
      } catch (RuntimeException | Error e) {
        throw new AssertionError("killed after call " + call + ", seed " + SEED, e);
      }
    }
  }

  private static boolean isKilledWhileOpening(CrashDisk disk) {
    try {
      TestStores.open(DIRECTORY, OPTIONS, disk.fileSystem()).close();
      return false;
    } catch (SimulatedCrash e) {
      return true;
    }
  }

  private void assertSyncedWriteSurvivesPowerLoss(CrashDisk disk) {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, disk.fileSystem())) {
      store.database().put(KEY, VALUE, WriteOptions.SYNC);
      for (int i = 0; i < POWER_LOSSES; i++) {
        CrashDisk left = disk.crash(random);
        assertThat(left.fileSystem().exists(DIRECTORY)).as("the directory is there").isTrue();
        try (Store again = TestStores.open(DIRECTORY, OPTIONS, left.fileSystem())) {
          assertThat(again.database().get(KEY)).isEqualTo(VALUE);
        }
      }
    }
  }

  /** A parent that somebody else has made may be one that this process must not sync. */
  @Test
  void aParentThatWasThereNeedNotBeSynced() {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    FaultyFileSystem faulty = new FaultyFileSystem(disk.fileSystem());
    faulty.failForGood(Operation.SYNC_DIRECTORY, path -> !path.equals(DIRECTORY), 1, Fault.EMFILE);
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, faulty)) {
      store.database().put(KEY, VALUE, WriteOptions.SYNC);
    }
    long calls = faulty.calls(Operation.SYNC_DIRECTORY);
    assertThat(calls).isPositive();
  }
}
