package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Without this, {@link EveryCallCrashTest} might pass because it sees nothing: each kind of sync
 * that the store makes is left out once, and the search has to find a crash after which that shows.
 */
@Tag("crash")
class LeftOutSyncIsFoundTest {
  private static final int MOST_SEEDS = 20;
  private static final int STEPS = 40;

  @ParameterizedTest
  @ValueSource(
      strings = {".manifest", "CURRENT.tmp", ".wal.new", ".wal", ".sst", ".values", "/store"})
  void searchFindsTheSyncThatIsLeftOut(String suffix) {
    Predicate<Path> leftOut = path -> path.toString().endsWith(suffix);
    UnaryOperator<StoreFileSystem> access = files -> new NoSyncFileSystem(files, leftOut);
    assertThatThrownBy(
            () -> {
              for (long seed = 1; seed <= MOST_SEEDS; seed++) {
                new CrashSearch(seed, 1, access).run(STEPS, 1, 1);
              }
            })
        .isInstanceOf(CrashSearch.Found.class);
  }
}
