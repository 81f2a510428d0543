package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.config.ReadMode;
import io.sifr.error.StoreIoException;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.SharedMemory;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.SstLayout;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Entry;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.ListEntryIterator;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A long iteration has what comes next read by others, whoever they are and whenever they come. */
class ReadAheadTest {
  /** Of a page each and more, so that an SST has many times what is read at once. */
  private static final int ENTRIES = 800;

  private final long memoryBefore = BlockMemory.bytesInUse();
  private final SstFixture fixture = new SstFixture();
  private final List<Entry> entries =
      SstFixture.draw(new Random(2), SstFixture.Shape.PAGES, ENTRIES);
  private final SstMeta meta = fixture.write(entries);
  private final FaultyFileSystem faults = new FaultyFileSystem(fixture.fs);
  private final LeakCountingFileSystem files = new LeakCountingFileSystem(faults);
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  /** What was handed to a helper that does nothing by itself. */
  private final List<Runnable> handedOver = new ArrayList<>();

  private final ReadAhead.Helper collects = handedOver::add;

  private final ReadAhead.Helper another =
      read -> {
        thread.execute(read);
        return true;
      };

  private final ReadAhead.Helper atOnce =
      read -> {
        read.run();
        return true;
      };

  @AfterEach
  void nothingLeaks() {
    thread.shutdownNow();
    assertThat(BlockMemory.bytesInUse()).isEqualTo(memoryBefore);
    files.assertNothingOpen();
  }

  private SstAccess access(StoreFileSystem through) {
    return access(through, ReadMode.DIRECT);
  }

  private SstAccess access(StoreFileSystem through, ReadMode mode) {
    return new SstAccess(
        EntryKinds.STANDARD,
        new ValueFiles(through, SstFixture.DIRECTORY, BlockCodecs.STANDARD::withId),
        BlockCodecs.STANDARD,
        mode,
        new SstAccess.Memory(SharedMemory.ofCache(1 << 20).join(), 0),
        new SstAccess.OpenFiles(100, Runnable::run));
  }

  private static EntryIterator iterator(SstReader reader, ReadAhead.Helper helper) {
    return reader.iterator(ReadAhead.Policy.GROWING, helper);
  }

  @Test
  void everyHelperIsAsGoodAsNone() {
    for (ReadAhead.Helper helper : List.of(ReadAhead.Helper.NONE, collects, another, atOnce)) {
      for (ReadAhead.Policy policy : ReadAhead.Policy.values()) {
        try (SstAccess access = access(files);
            SstReader reader = SstReader.open(access, meta)) {
          SstFixture.loadIndex(reader);
          long opened = access.meter().bytes();
          assertThat(SstFixture.readForwards(reader.iterator(policy, helper))).isEqualTo(entries);
          long read = access.meter().bytes() - opened;
          assertThat(read).as("each block once").isEqualTo(SstLayout.of(reader).index().offset());
          assertThat(SstFixture.readBackwards(reader.iterator(policy, helper))).isEqualTo(entries);
        }
      }
    }
  }

  /** Forwards and backwards, now short and now long, and elsewhere in between. */
  @Test
  void iteratorsThatChangeDirectionReturnTheRightEntries() {
    for (long seed = 0; seed < 6; seed++) {
      Random random = new Random(seed);
      ListEntryIterator model = new ListEntryIterator(entries);
      ReadAhead.Helper helper = List.of(another, collects, atOnce).get((int) seed % 3);
      try (SstAccess access = access(files);
          SstReader reader = SstReader.open(access, meta);
          EntryIterator iterator = iterator(reader, helper)) {
        for (int i = 0; i < 40; i++) {
          byte[] key = entries.get(random.nextInt(ENTRIES)).key();
          boolean on = iterator.seek(key, 0, key.length, Long.MAX_VALUE);
          assertThat(on).isEqualTo(model.seek(key, 0, key.length, Long.MAX_VALUE));
          for (int turns = random.nextInt(3); turns >= 0 && on; turns--) {
            boolean forward = random.nextBoolean();
            for (int steps = random.nextInt(ENTRIES / 2); steps > 0 && on; steps--) {
              on = forward ? iterator.next() : iterator.previous();
              assertThat(on).isEqualTo(forward ? model.next() : model.previous());
              if (on) {
                assertThat(Entry.at(iterator))
                    .describedAs("seed %d", seed)
                    .isEqualTo(Entry.at(model));
              }
            }
          }
        }
      }
    }
  }

  /** The system would read several times as much ahead of a short scan. */
  @Test
  void theSystemIsKeptFromReadingAheadOfAShortScan() {
    List<String> reads = new ArrayList<>();
    try (SstAccess access = access(noting(reads), ReadMode.POSITIONAL);
        SstReader reader = SstReader.open(access, meta)) {
      SstFixture.loadIndex(reader);
      reads.clear();
      assertThat(SstFixture.readForwards(iterator(reader, ReadAhead.Helper.NONE)))
          .isEqualTo(entries);
      assertThat(reads).containsSequence("any", "next", "next", "next", "any", "any");
      assertThat(reads).filteredOn("next"::equals).as("at the beginning").hasSize(3);
      reads.clear();
      assertThat(SstFixture.readBackwards(iterator(reader, ReadAhead.Helper.NONE)))
          .isEqualTo(entries);
      SstFixture.readForwards(reader.iterator(ReadAhead.Policy.FULL, ReadAhead.Helper.NONE));
      assertThat(reads).doesNotContain("next");
    }
  }

  /** To read a byte of blocks that come from the cache could be a read of the device. */
  @Test
  void aReadAfterCachedBlocksIsLikeAnyOther() {
    List<Entry> ofAPage = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ofAPage.add(Entry.of(new byte[] {'k', (byte) i}, i + 1, EntryKind.PUT, new byte[3900]));
    }
    SstMeta pages = fixture.write(ofAPage, 10, 10);
    List<String> reads = new ArrayList<>();
    try (SstAccess access = access(noting(reads), ReadMode.POSITIONAL);
        SstReader reader = SstReader.open(access, pages)) {
      SstFixture.loadIndex(reader);
      try (EntryIterator reads4To7 = iterator(reader, ReadAhead.Helper.NONE)) {
        byte[] key = ofAPage.get(4).key();
        assertThat(reads4To7.seek(key, 0, key.length, Long.MAX_VALUE)).isTrue();
        for (int i = 0; i < 3; i++) {
          reads4To7.next(); // so that all four are cached
        }
      }
      reads.clear();
      assertThat(SstFixture.readForwards(iterator(reader, ReadAhead.Helper.NONE)))
          .isEqualTo(ofAPage);
      assertThat(reads).startsWith("any", "any", "next", "next", "any");
    }
  }

  /** Notes of each read whether it is said to follow others. */
  private StoreFileSystem noting(List<String> reads) {
    return new ForwardingFileSystem(files) {
      @Override
      public RandomReadFile openForRead(Path file) {
        return new ForwardingRandomReadFile(super.openForRead(file)) {
          @Override
          public void readFully(ByteBuffer target, long position) {
            reads.add("any");
            super.readFully(target, position);
          }

          @Override
          public void readNext(ByteBuffer target, long position) {
            reads.add("next");
            super.readFully(target, position);
          }
        };
      }
    };
  }

  @Test
  void onlyALongScanUsesHelpers() {
    try (SstAccess access = access(files);
        SstReader reader = SstReader.open(access, meta);
        EntryIterator iterator = iterator(reader, collects)) {
      iterator.seekToFirst();
      for (int i = 0; i < 3; i++) {
        iterator.next();
      }
      assertThat(handedOver).isEmpty();
      while (iterator.next()) {
        // to the end
      }
      assertThat(handedOver).hasSizeGreaterThan(3);
    }
  }

  /** It need not find out again that it is long. */
  @Test
  void aScanFromThePreviousSstContinuesItsReadAhead() {
    int border = 1;
    while (Arrays.equals(entries.get(border).key(), entries.get(0).key())) {
      border++;
    }
    SstMeta firstMeta = fixture.write(entries.subList(0, border), 8, 8);
    SstMeta afterMeta = fixture.write(entries.subList(border, ENTRIES), 9, 9);
    Sst one = new Sst(firstMeta);
    Sst two = new Sst(afterMeta);
    try (SstAccess access = access(files)) {
      one.open(access);
      two.open(access);
      LogicalTree tree = new LogicalTree(1, List.of(one, two));
      try (RunIterator iterator = new RunIterator(tree, 0, 1, () -> false, collects)) {
        iterator.seekToFirst();
        for (int i = 1; i < border; i++) {
          iterator.next();
        }
        assertThat(handedOver).isEmpty();
        assertThat(iterator.next()).isTrue();
        assertThat(handedOver).as("much is read at once in the second").hasSize(1);
      }
      one.markObsolete(() -> {});
      two.markObsolete(() -> {});
    }
  }

  @Test
  void aReadThatComesTooLateReadsNothing() {
    try (SstAccess access = access(files)) {
      SstReader reader = SstReader.open(access, meta);
      EntryIterator iterator = iterator(reader, collects);
      iterateUntilAReadIsHandedOver(iterator);
      iterator.close();
      reader.close();
      files.assertNothingOpen();
      long read = access.meter().reads();
      handedOver.forEach(Runnable::run);
      assertThat(access.meter().reads()).isEqualTo(read);
    }
  }

  /** The file must not be closed under a read, nor the memory given back that it fills. */
  @Test
  void closingWaitsForAReadUnderWay() throws InterruptedException {
    HeldReads held = new HeldReads(files);
    try (SstAccess access = access(held)) {
      SstReader reader = SstReader.open(access, meta);
      EntryIterator iterator = iterator(reader, collects);
      iterateUntilAReadIsHandedOver(iterator);
      held.holds = true;
      thread.execute(handedOver.get(0));
      held.begun.await();
      Thread closing =
          new Thread(
              () -> {
                iterator.close();
                reader.close();
              });
      closing.start();
      while (closing.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      assertThat(files.openCount()).as("still open").isEqualTo(1);
      held.mayGoOn.countDown();
      closing.join();
    }
  }

  @Test
  void theScanFailsWhereItNeedsUnreadableBlocks() {
    for (ReadAhead.Helper helper : List.of(another, collects, atOnce)) {
      try (SstAccess access = access(files);
          SstReader reader = SstReader.open(access, meta);
          EntryIterator iterator = iterator(reader, read -> helper.tryRun(failing(read)))) {
        iterator.seekToFirst();
        assertThatThrownBy(
                () -> {
                  while (iterator.next()) {
                    // until it fails
                  }
                })
            .isInstanceOf(StoreIoException.class);
        faults.heal();
        assertThat(iterator.seekToFirst()).as("it can be led anew").isTrue();
      }
    }
  }

  /** A read that nobody needs may fail. */
  @Test
  void aFailureOfACancelledReadIsIgnored() {
    ReadAhead.Helper fails = read -> collects.tryRun(read) && atOnce.tryRun(failing(read));
    try (SstAccess access = access(files);
        SstReader reader = SstReader.open(access, meta);
        EntryIterator iterator = iterator(reader, fails)) {
      iterateUntilAReadIsHandedOver(iterator);
      faults.heal();
    }
  }

  private Runnable failing(Runnable read) {
    faults.failForGood(Operation.READ, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    return read;
  }

  private void iterateUntilAReadIsHandedOver(EntryIterator iterator) {
    for (boolean on = iterator.seekToFirst(); on && handedOver.isEmpty(); on = iterator.next()) {
      assertThat(iterator.valid()).isTrue();
    }
    assertThat(handedOver).hasSize(1);
  }

  /** Holds up reads of files while it is told to. */
  private static final class HeldReads extends ForwardingFileSystem {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private volatile boolean holds;

    HeldReads(StoreFileSystem delegate) {
      super(delegate);
    }

    @Override
    public RandomReadFile openForDirectRead(Path file) {
      RandomReadFile opened = super.openForDirectRead(file);
      return new RandomReadFile() {
        @Override
        public void readFully(ByteBuffer target, long position) {
          if (holds) {
            begun.countDown();
            Uninterruptibles.awaitUninterruptibly(mayGoOn);
          }
          opened.readFully(target, position);
        }

        @Override
        public long size() {
          return opened.size();
        }

        @Override
        public void close() {
          opened.close();
        }
      };
    }
  }
}
