package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.ReadMode;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.DirectFiles;
import io.sifr.testing.ForwardingFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In mode DIRECT, what flushes and compactions write takes no memory from what others read. */
class SstsAreWrittenPastThePageCacheTest {
  private static final int KEYS = 2_000;

  @TempDir(factory = DirectFiles.UnderTarget.class)
  Path directory;

  private final Queue<String> created = new ConcurrentLinkedQueue<>();
  private final Queue<String> createdDirect = new ConcurrentLinkedQueue<>();

  private final ForwardingFileSystem disk =
      new ForwardingFileSystem(new DiskFileSystem()) {
        @Override
        public AppendFile create(Path file) {
          created.add(file.toString());
          return super.create(file);
        }

        @Override
        public AppendFile createDirect(Path file) {
          createdDirect.add(file.toString());
          return super.createDirect(file);
        }
      };

  private Store open(ReadMode mode) {
    return TestStores.open(
        directory, SmallStores.options().readMode(mode).checkBytesPerSecond(0).build(), disk);
  }

  private static void write(Store store) {
    for (int version = 0; version < 3; version++) {
      SmallStores.fill(store.database(), 0, KEYS, version);
    }
    store.flush();
  }

  @ParameterizedTest
  @EnumSource
  void inThatModeAlone(ReadMode mode) {
    try (Store store = open(mode)) {
      write(store);
      store.awaitIdle();
      List<String> direct = List.copyOf(createdDirect);
      store.database().compact();
      if (mode == ReadMode.DIRECT) {
        assertThat(created).noneMatch(file -> file.endsWith(".sst"));
        assertThat(direct).isNotEmpty().allMatch(file -> file.endsWith(".sst"));
        assertThat(createdDirect).as("by the compaction").hasSizeGreaterThan(direct.size());
      } else {
        assertThat(createdDirect).isEmpty();
      }
    }
  }

  /** Nor has reading them back, which every compaction does, brought them there. */
  @Test
  void noneOfTheirPagesIsInMemory() throws IOException {
    DirectFiles.require(directory);
    try (Store store = open(ReadMode.DIRECT)) {
      write(store);
      store.database().compact();
      store.awaitIdle();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 2));
    }
    List<Path> ssts = SmallStores.files(directory, ".sst");
    assertThat(ssts).isNotEmpty();
    for (Path sst : ssts) {
      assertThat(DirectFiles.pagesInMemory(disk, sst)).as("%s", sst).isZero();
    }
  }
}
