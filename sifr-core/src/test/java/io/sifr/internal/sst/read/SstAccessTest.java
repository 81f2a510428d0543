package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.ReadMode;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.resources.SharedMemory;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.SstLayout;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Entry;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.LeakCountingFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** How SSTs are read follows from the mode and from how much there is. */
class SstAccessTest {
  private static final long MEMORY = 1 << 20;

  private final long memoryBefore = BlockMemory.bytesInUse();
  private final SstFixture fixture = new SstFixture();
  private final List<Entry> entries =
      SstFixture.draw(new Random(1), SstFixture.Shape.NUMBERS, 3000);
  private final SstMeta meta = fixture.write(entries);

  private SstAccess access(ReadMode mode, long cacheBytes) {
    return new SstAccess(
        EntryKinds.STANDARD,
        new ValueFiles(fixture.fs, SstFixture.DIRECTORY, BlockCodecs.STANDARD::withId),
        BlockCodecs.STANDARD,
        mode,
        new SstAccess.Memory(SharedMemory.ofCache(cacheBytes).join(), MEMORY),
        new SstAccess.OpenFiles(100, Runnable::run));
  }

  private void readAll(SstReader reader) {
    for (Entry entry : entries) {
      assertThat(SstFixture.get(reader, entry.key(), entry.sequence())).isEqualTo(entry);
    }
  }

  @Test
  void autoMapsWhatFitsIntoHalfOfTheMemory() {
    try (SstAccess access = access(ReadMode.AUTO, 0)) {
      access.storeHolds(MEMORY / 2);
      assertThat(access.maps()).isTrue();
      access.storeHolds(MEMORY / 2 + 1);
      assertThat(access.maps()).isFalse();
      access.storeHolds(MEMORY / 2);
      assertThat(access.maps()).as("it does not go to and fro").isFalse();
      access.storeHolds(MEMORY / 3);
      assertThat(access.maps()).isTrue();
    }
  }

  @Test
  void otherModesStayWhatTheyAre() {
    for (ReadMode mode : List.of(ReadMode.MMAP, ReadMode.POSITIONAL, ReadMode.DIRECT)) {
      try (SstAccess access = access(mode, 0)) {
        access.storeHolds(100 * MEMORY);
        assertThat(access.maps()).as("%s", mode).isEqualTo(mode == ReadMode.MMAP);
        access.storeHolds(0);
        assertThat(access.maps()).as("%s", mode).isEqualTo(mode == ReadMode.MMAP);
      }
    }
  }

  @Test
  void anOpenSstIsReadByPositionWhenTheStoreHasOutgrownMemory() {
    try (SstAccess access = access(ReadMode.AUTO, 0);
        SstReader reader = SstReader.open(access, meta)) {
      readAll(reader);
      assertThat(access.meter().reads()).isZero();
      try (EntryIterator iterator = reader.iterator()) {
        iterator.seekToFirst();
        access.storeHolds(MEMORY);
        readAll(reader);
        assertThat(access.meter().reads()).as("nothing is kept").isEqualTo(2L * entries.size());
        assertThat(iterator.next()).as("an iterator begun before goes on").isTrue();
      }
      access.storeHolds(0);
      readAll(reader);
      assertThat(access.meter().reads()).isEqualTo(2L * entries.size());
    }
    assertThat(fixture.fs.openMappings()).isZero();
  }

  @Test
  void aGetReadsOneBlockUnlessItIsInTheCache() {
    try (SstAccess access = access(ReadMode.DIRECT, 1 << 20);
        SstReader reader = SstReader.open(access, meta)) {
      SstFixture.loadIndex(reader);
      long toOpen = access.meter().reads();
      long index = access.memory().cache().bytes();
      Entry entry = entries.get(1000);
      for (int i = 0; i < 10; i++) {
        SstFixture.get(reader, entry.key(), entry.sequence());
      }
      assertThat(access.meter().reads()).isEqualTo(toOpen + 1);
      readAll(reader);
      assertThat(access.meter().reads()).isEqualTo(toOpen + SstLayout.of(reader).blocks());
      assertThat(access.memory().cache().bytes())
          .isEqualTo(SstLayout.of(reader).index().offset() + index);
    }
  }

  /**
   * A long iteration reads many blocks at a time, and leaves the cache alone but for its beginning.
   */
  @Test
  void aLongScanReadsFarAheadAndBypassesTheCache() {
    try (SstAccess access = access(ReadMode.DIRECT, 1 << 20);
        SstReader reader = SstReader.open(access, meta)) {
      SstFixture.loadIndex(reader);
      long toOpen = access.meter().reads();
      long index = access.memory().cache().bytes();
      int blocks = SstLayout.of(reader).blocks();
      assertThat(blocks).isGreaterThan(60);
      assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries);
      assertThat(access.meter().reads() - toOpen).isLessThan(blocks / 4);
      assertThat(access.memory().cache().bytes() - index).isEqualTo(4L * SstFormat.PAGE_BYTES);
      toOpen = access.meter().reads();
      assertThat(SstFixture.readBackwards(reader.iterator())).isEqualTo(entries);
      assertThat(access.meter().reads() - toOpen).isLessThan(blocks / 4);
      toOpen = access.meter().reads();
      assertThat(
              SstFixture.readForwards(
                  reader.iterator(ReadAhead.Policy.FULL, ReadAhead.Helper.NONE)))
          .isEqualTo(entries);
      assertThat(access.meter().reads() - toOpen).isEqualTo((blocks + 63) / 64);
      assertThat(access.memory().cache().bytes() - index).isLessThan(12L * SstFormat.PAGE_BYTES);
    }
  }

  /** Others drive the SST out of those that are open while somebody begins to iterate over it. */
  @Test
  void anIteratorBeginsInAnSstThatIsClosedAllTheTime() {
    Sst iterated = new Sst(meta);
    Sst other = new Sst(fixture.write(entries, 8, 99));
    SstAccess.OpenFiles one =
        new SstAccess.OpenFiles(1, Runnable::run); // closed at once, unlike in a store
    AtomicBoolean ended = new AtomicBoolean();
    try (SstAccess access =
        new SstAccess(
            EntryKinds.STANDARD,
            new ValueFiles(fixture.fs, SstFixture.DIRECTORY, BlockCodecs.STANDARD::withId),
            BlockCodecs.STANDARD,
            ReadMode.MMAP,
            new SstAccess.Memory(SharedMemory.ofCache(0).join(), MEMORY),
            one)) {
      iterated.open(access);
      other.open(access);
      CompletableFuture<Void> driver =
          CompletableFuture.runAsync(
              () -> {
                while (!ended.get()) {
                  other.iterator(ReadAhead.Policy.GROWING, ReadAhead.Helper.NONE).close();
                }
              });
      try {
        for (int i = 0; i < 3_000; i++) {
          try (EntryIterator iterator =
              iterated.iterator(
                  i % 2 == 0 ? ReadAhead.Policy.GROWING : ReadAhead.Policy.FULL,
                  ReadAhead.Helper.NONE)) {
            assertThat(iterator.seekToFirst()).isTrue();
          }
        }
      } finally {
        ended.set(true);
        driver.join();
        iterated.markObsolete(() -> {});
        other.markObsolete(() -> {});
      }
    }
  }

  @Test
  void withoutDirectReadsItReadsThroughThePageCache() {
    var withoutDirect =
        new ForwardingFileSystem(fixture.fs) {
          private int refused;

          @Override
          public RandomReadFile openForDirectRead(Path file) {
            refused++;
            throw new UnsupportedOperationException("no direct reads");
          }
        };
    try (SstAccess access =
            new SstAccess(
                EntryKinds.STANDARD,
                new ValueFiles(withoutDirect, SstFixture.DIRECTORY, BlockCodecs.STANDARD::withId),
                BlockCodecs.STANDARD,
                ReadMode.DIRECT,
                new SstAccess.Memory(SharedMemory.ofCache(0).join(), MEMORY),
                new SstAccess.OpenFiles(100, Runnable::run));
        SstReader first = SstReader.open(access, meta);
        SstReader second = SstReader.open(access, meta)) {
      readAll(first);
      readAll(second);
      assertThat(withoutDirect.refused).as("tried once").isEqualTo(1);
    }
    assertThat(BlockMemory.bytesInUse()).isEqualTo(memoryBefore);
  }

  /** Readers over the bound are closed when nobody is left who may be using them. */
  @Test
  void onlySoManySstsAreOpenAndTheOthersAreOpenedWhenTheyAreAsked() {
    List<Runnable> retired = new ArrayList<>();
    LeakCountingFileSystem files = new LeakCountingFileSystem(fixture.fs);
    List<Sst> ssts = new ArrayList<>();
    try (SstAccess access =
        new SstAccess(
            EntryKinds.STANDARD,
            new ValueFiles(files, SstFixture.DIRECTORY, BlockCodecs.STANDARD::withId),
            BlockCodecs.STANDARD,
            ReadMode.DIRECT,
            new SstAccess.Memory(SharedMemory.ofCache(1 << 20).join(), MEMORY),
            new SstAccess.OpenFiles(4, retired::add))) {
      for (int number = 100; number < 120; number++) {
        Sst sst = new Sst(fixture.write(entries, number, number));
        sst.open(access);
        ssts.add(sst);
      }
      assertThat(files.openCount()).as("nobody may close what is in use").isEqualTo(20);
      retired.forEach(Runnable::run);
      retired.clear();
      assertThat(files.openCount()).isEqualTo(4);
      EntryIterator iterator =
          ssts.get(0).iterator(ReadAhead.Policy.GROWING, ReadAhead.Helper.NONE);
      assertThat(iterator.seekToFirst()).isTrue();
      for (Sst sst : ssts) {
        readAll(sst.reader());
        retired.forEach(Runnable::run);
        retired.clear();
      }
      assertThat(files.openCount()).as("4 and that of the iterator").isLessThanOrEqualTo(5);
      assertThat(iterator.next()).isTrue();
      iterator.close();
      ssts.forEach(sst -> sst.markObsolete(() -> {}));
      retired.forEach(Runnable::run);
      assertThat(files.openCount()).isZero();
    }
    assertThat(BlockMemory.bytesInUse()).isEqualTo(memoryBefore);
  }
}
