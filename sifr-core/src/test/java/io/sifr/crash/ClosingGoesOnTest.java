package io.sifr.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.LeakCountingFileSystem;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens while the file of one SST is closed, everything else of the store is closed. */
class ClosingGoesOnTest {
  @TempDir Path directory;

  private final AtomicBoolean fails = new AtomicBoolean();

  /** Closes files, and throws afterwards, once, what is no exception of a disk. */
  private final LeakCountingFileSystem files =
      new LeakCountingFileSystem(
          new ForwardingFileSystem(new DiskFileSystem()) {
            @Override
            public RandomReadFile openForRead(Path file) {
              return reading(super.openForRead(file));
            }

            @Override
            public RandomReadFile openForDirectRead(Path file) {
              return reading(super.openForDirectRead(file));
            }

            @Override
            public MappedRegion mapForRead(Path file, long size) {
              return new ForwardingMappedRegion(super.mapForRead(file, size)) {
                @Override
                public void close() {
                  super.close();
                  failOnce();
                }
              };
            }

            private RandomReadFile reading(RandomReadFile opened) {
              return new ForwardingRandomReadFile(opened) {
                @Override
                public void close() {
                  super.close();
                  failOnce();
                }
              };
            }
          });

  private void failOnce() {
    if (fails.compareAndSet(true, false)) {
      throw new AssertionError("closing fails");
    }
  }

  @Test
  void theDirectoryIsFreeAndNoFileStaysOpen() {
    StoreOptions options = StoreOptions.builder().keptLogBytes(0).build();
    Store store = TestStores.open(directory, options, files);
    for (int i = 0; i < 3; i++) {
      store.openOrCreateDatabase("database " + i).put(("key " + i).getBytes(UTF_8), new byte[10]);
      store.flush();
    }
    fails.set(true);
    assertThatThrownBy(store::close).hasMessage("closing fails");
    files.assertNothingOpen();
    try (Store again = TestStores.open(directory, options, files)) {
      assertThat(again.statistics()).isNotNull();
    }
  }
}
