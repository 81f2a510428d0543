package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Disk space and writes of stores that hold little, with the settings everybody has. */
class SmallStoreTakesLittleSpaceTest {
  private static final int ENTRIES = 20_000;
  private static final int VALUE_BYTES = 100;

  @TempDir Path directory;

  /** Notes whatever would change the disk, the lock file apart. */
  private static final class Writes extends ForwardingFileSystem {
    private final AtomicLong count = new AtomicLong();

    Writes() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public AppendFile create(Path file) {
      count.incrementAndGet();
      return super.create(file);
    }

    @Override
    public MappedRegion mapForWrite(Path file, long size) {
      count.incrementAndGet();
      return super.mapForWrite(file, size);
    }

    @Override
    public RandomWriteFile openForWrite(Path file, long size) {
      return counted(super.openForWrite(file, size));
    }

    @Override
    public RandomWriteFile openToGrow(Path file) {
      return counted(super.openToGrow(file));
    }

    private RandomWriteFile counted(RandomWriteFile file) {
      return new ForwardingRandomWriteFile(file) {
        @Override
        public void write(byte[] source, int offset, int length, long position) {
          count.incrementAndGet();
          super.write(source, offset, length, position);
        }
      };
    }

    @Override
    public void rename(Path source, Path target) {
      count.incrementAndGet();
      super.rename(source, target);
    }

    @Override
    public void delete(Path file) {
      count.incrementAndGet();
      super.delete(file);
    }
  }

  private static long bytesOf(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void openingToReadWritesNothing() {
    try (Store store = SmallStores.open(directory, StoreOptions.DEFAULT)) {
      SmallStores.fill(store.database(), 0, 100, 1);
      store.flush();
      SmallStores.fill(store.database(), 100, 200, 1);
    }
    Writes writes = new Writes();
    for (int i = 0; i < 3; i++) {
      try (Store store = TestStores.open(directory, StoreOptions.DEFAULT, writes)) {
        assertThat(store.database().get(SmallStores.key(50))).isEqualTo(SmallStores.value(50, 1));
        assertThat(store.database().get(SmallStores.key(150))).isEqualTo(SmallStores.value(150, 1));
      }
    }
    assertThat(writes.count.get()).isZero();
  }

  /** One edit when the log is resumed, one when it is closed; and the entry itself. */
  @Test
  void openingToPutWritesWhatIsNeeded() {
    StoreOptions options = StoreOptions.builder().logAccess(LogAccess.WRITTEN).build();
    try (Store store = SmallStores.open(directory, options)) {
      SmallStores.fill(store.database(), 0, 1, 1);
    }
    long bytes = bytesOf(directory);
    Writes writes = new Writes();
    for (int i = 1; i < 10; i++) {
      try (Store store = TestStores.open(directory, options, writes)) {
        SmallStores.fill(store.database(), i, i + 1, 1);
      }
      // The edits with the record after each of them, the entry, the mark of the segment.
      assertThat(writes.count.getAndSet(0)).isEqualTo(6);
    }
    assertThat(bytesOf(directory)).isEqualTo(bytes);
  }

  @Test
  void aFewEntriesTakeAFewPages() {
    for (int i = 0; i < 3; i++) {
      try (Store store = SmallStores.open(directory, StoreOptions.DEFAULT)) {
        SmallStores.fill(store.database(), i, i + 1, 1);
        assertThat(bytesOf(directory)).isLessThan(40 << 10);
      }
      assertThat(bytesOf(directory)).isLessThan(40 << 10);
    }
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void isAtMostTwiceTheData(LogAccess access) {
    StoreOptions options = StoreOptions.builder().logAccess(access).build();
    byte[] value = new byte[VALUE_BYTES];
    try (Store store = SmallStores.open(directory, options)) {
      long data = 0;
      for (int i = 0; i < ENTRIES; i++) {
        byte[] key = SmallStores.bytes(String.format("a key %010d", i));
        store.database().put(key, value);
        data += key.length + value.length;
        if (i % 1000 == 999) {
          // While there is hardly any the room for the next writes is more than they are.
          assertThat(bytesOf(directory)).isLessThan(2 * data + (256 << 10));
        }
      }
      assertThat(bytesOf(directory)).isLessThan(2 * data);
    }
    assertThat(bytesOf(directory)).isLessThan(2L * ENTRIES * (16 + VALUE_BYTES));
  }
}
