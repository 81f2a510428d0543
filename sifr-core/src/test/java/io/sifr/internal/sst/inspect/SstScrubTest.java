package io.sifr.internal.sst.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.ReadMode;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.MaskedIterator;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.resources.SharedMemory;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstFixture;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.sst.read.TestCodecs;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Entry;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.LeakCountingFileSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What is checked of an SST, whether somebody has used it or not. */
@ParameterizedClass
@EnumSource(
    value = ReadMode.class,
    names = {"MMAP", "POSITIONAL", "DIRECT"})
class SstScrubTest {
  private static final int PART_BYTES = 100;
  private static final int FILTER_BITS = 10;

  private final SstFixture fixture =
      new SstFixture(ReadMode.MMAP, TestCodecs.writing(Codecs.NONE, PART_BYTES), 1 << 20);
  private final FaultyFileSystem faults = new FaultyFileSystem(fixture.fs);
  private final LeakCountingFileSystem files = new LeakCountingFileSystem(faults);
  private final SstAccess access;
  private final List<Entry> entries = SstFixture.draw(new Random(1), SstFixture.Shape.PAGES, 150);
  private final SstMeta meta =
      fixture.write(entries, SstFixture.NUMBER, SstFixture.UNIQUE_ID, FILTER_BITS);
  private final List<SifrException> told = new ArrayList<>();
  private final Sst sst;

  SstScrubTest(ReadMode mode) {
    access =
        new SstAccess(
            EntryKinds.STANDARD,
            new ValueFiles(files, SstFixture.DIRECTORY, TestCodecs.READING_ALL::withId),
            TestCodecs.READING_ALL,
            mode,
            new SstAccess.Memory(SharedMemory.ofCache(1 << 20).join(), 0),
            new SstAccess.OpenFiles(1, Runnable::run));
    access
        .faults()
        .tell(
            (number, why) -> {
              assertThat(number).isEqualTo(SstFixture.NUMBER);
              told.add(why);
            });
    sst = attached();
  }

  private Sst attached() {
    Sst attached = new Sst(meta);
    attached.attach(access);
    return attached;
  }

  private static void goesOn() {}

  /** Checks all but the blocks. */
  private static long check(Sst checked) {
    SstScrub scrub = new SstScrub(checked, false);
    long bytes = scrub.step(SstScrubTest::goesOn);
    assertThat(scrub.isDone()).isTrue();
    return bytes;
  }

  /** Checks the whole file, and returns the number of steps. */
  private static int checkAll(Sst checked) {
    SstScrub scrub = new SstScrub(checked, true);
    int steps = 0;
    while (!scrub.isDone()) {
      assertThat(scrub.step(SstScrubTest::goesOn)).isPositive();
      steps++;
    }
    return steps;
  }

  @AfterEach
  void nothingIsOpen() {
    sst.markObsolete(() -> {});
    access.close();
    assertThat(access.faults().unusable()).isZero();
    files.assertNothingOpen();
    fixture.close();
  }

  private void flip(int offset) {
    byte[] content = fixture.fs.content(SstFixture.path(meta));
    content[offset] ^= 0x10;
    fixture.fs.put(SstFixture.path(meta), content);
  }

  private Footer footer() {
    try (SstReader reader = fixture.open(meta)) {
      assertThat(reader.tail().top().parts()).isGreaterThan(2);
      return reader.tail().footer();
    }
  }

  @Test
  void anIntactOneIsReadAndNothingOfItIsKept() {
    AtomicInteger reads = new AtomicInteger();
    assertThat(new SstScrub(sst, false).step(reads::incrementAndGet))
        .isGreaterThanOrEqualTo(meta.fileBytes() - footer().blocksEnd());
    assertThat(reads).hasValueGreaterThan(3);
    assertThat(sst.readerIfOpen()).isNull();
    assertThat(access.memory().cache().bytes()).isZero();
    files.assertNothingOpen();
    assertThat(access.faults().unusable()).isZero();
    assertThat(told).isEmpty();
  }

  @Test
  void anotherOneStaysOpenAndInTheCache() {
    SstMeta otherMeta = fixture.write(entries, 8, 99, FILTER_BITS);
    Sst other = new Sst(otherMeta);
    other.open(access);
    Entry entry = entries.get(5);
    SstFixture.get(other.reader(), entry.key(), entry.sequence());
    long cached = access.memory().cache().bytes();
    assertThat(cached).isPositive();
    var unused = check(sst);
    assertThat(access.memory().cache().bytes()).isEqualTo(cached);
    assertThat(files.openCount()).isEqualTo(1);
    other.markObsolete(() -> {});
  }

  @Test
  void filesThatAreOpenedByTheirFirstUseAreBounded() {
    Sst other = new Sst(fixture.write(entries, 8, 99, FILTER_BITS));
    other.attach(access);
    assertThat(sst.reader()).isNotNull();
    assertThat(other.reader()).isNotNull();
    assertThat(files.openCount()).isEqualTo(1);
    other.markObsolete(() -> {});
  }

  @Test
  @Tag("damage")
  void everyFlippedBitAfterTheBlocksIsFound() {
    Footer footer = footer();
    for (int at = footer.blocksEnd(); at < meta.fileBytes(); at++) {
      flip(at);
      Sst damaged = attached();
      told.clear();
      assertThat(check(damaged)).as("offset %d", at).isPositive();
      assertThat(told)
          .as("offset %d", at)
          .singleElement()
          .satisfies(
              why ->
                  assertThat(((CorruptionException) why).file()).isEqualTo(SstFixture.path(meta)));
      // Without a part of the filter all entries can be read.
      assertThat(access.faults().unusable())
          .as("offset %d", at)
          .isEqualTo(at < footer.partsOffset() ? 0 : 1);
      damaged.markObsolete(() -> {});
      assertThat(access.faults().unusable()).isZero();
      flip(at);
    }
  }

  @Test
  void aFlippedBitAnywhereIsFoundInTheEnd() {
    int filter = footer().blocksEnd();
    int parts = footer().partsOffset();
    for (int i = 0; i < 200; i++) {
      int at = i < FileHeader.BYTES ? i : (int) (meta.fileBytes() * i / 200);
      flip(at);
      Sst damaged = attached();
      told.clear();
      checkAll(damaged);
      assertThat(told).as("offset %d", at).hasSize(1);
      assertThat(access.faults().unusable())
          .as("offset %d", at)
          .isEqualTo(at >= filter && at < parts ? 0 : 1);
      damaged.markObsolete(() -> {});
      flip(at);
    }
    told.clear();
    checkAll(sst);
    assertThat(told).isEmpty();
  }

  @Test
  void damageIsToldAgainOnlyAfterItWasGone() {
    flip(FileHeader.BYTES + 3);
    checkAll(sst);
    assertThat(told).hasSize(1);
    assertThat(access.faults().unusable()).isEqualTo(1);
    checkAll(sst);
    assertThat(told).hasSize(1);
    flip(FileHeader.BYTES + 3);
    checkAll(sst);
    assertThat(access.faults().unusable()).isZero();
    flip(FileHeader.BYTES + 3);
    checkAll(sst);
    assertThat(told).hasSize(2);
  }

  /** Large files take many small steps, between which they may be deleted. */
  @Test
  void aLargeOneIsReadInSteps() {
    List<Entry> many = SstFixture.draw(new Random(2), SstFixture.Shape.PAGES, 2500);
    SstMeta large = fixture.write(many, 9, 77, FILTER_BITS);
    Sst other = new Sst(large);
    other.attach(access);
    int steps = checkAll(other);
    assertThat(large.fileBytes()).isGreaterThan(3 << 20);
    assertThat((long) steps)
        .isBetween(1 + (large.fileBytes() >> 21), 2 + (large.fileBytes() >> 20));
    SstScrub scrub = new SstScrub(other, true);
    assertThat(scrub.step(SstScrubTest::goesOn)).isPositive();
    assertThat(scrub.step(SstScrubTest::goesOn)).isBetween(1L << 20, 2L << 20);
    files.assertNothingOpen();
    other.markObsolete(() -> {});
    assertThat(scrub.step(SstScrubTest::goesOn)).isZero();
    assertThat(scrub.isDone()).isTrue();
    assertThat(told).isEmpty();
  }

  @Test
  void aMissingOneIsFoundAndToldOnce() {
    byte[] content = fixture.fs.content(SstFixture.path(meta));
    fixture.fs.delete(SstFixture.path(meta));
    assertThatThrownBy(sst::reader).hasMessageContaining("missing").hasMessageContaining("of its");
    var unused = check(sst);
    assertThatThrownBy(sst::reader).hasMessageContaining("missing");
    assertThat(told).hasSize(1);
    assertThat(told.get(0)).hasMessageContaining("missing").hasMessageContaining("of its");
    assertThat(access.faults().unusable()).isEqualTo(1);
    fixture.fs.put(SstFixture.path(meta), content);
    assertThat(sst.reader()).isNotNull();
    assertThat(access.faults().unusable()).isZero();
    assertThat(access.faults().unusable()).isZero();
  }

  @Test
  void aDamagedIndexIsFoundThoughTheFileCanBeOpened() {
    flip(footer().partsOffset());
    var unused = check(sst);
    assertThat(sst.reader()).isNotNull();
    assertThat(access.faults().unusable()).isEqualTo(1);
    Entry first = entries.get(0);
    assertThatThrownBy(() -> SstFixture.get(sst.reader(), first.key(), first.sequence()))
        .isInstanceOf(CorruptionException.class);
    Entry last = entries.get(entries.size() - 1);
    assertThat(SstFixture.get(sst.reader(), last.key(), last.sequence())).isEqualTo(last);
    assertThat(told).hasSize(1);
  }

  @Test
  void aDamagedIndexStaysDamagedWhenTheFileIsOpenedLater() {
    flip(footer().partsOffset());
    byte[] content = fixture.fs.content(SstFixture.path(meta));
    var unused = check(sst);
    fixture.fs.delete(SstFixture.path(meta));
    assertThatThrownBy(sst::reader).hasMessageContaining("missing");
    fixture.fs.put(SstFixture.path(meta), content);
    assertThat(sst.reader()).isNotNull();
    assertThat(access.faults().unusable()).isEqualTo(1);
    assertThat(told).hasSize(1);
  }

  /** A compaction must not begin without it, and cannot go back for it. */
  @Test
  void aFullScanFailsAtOnceAndAnotherOneLater() {
    LogicalTree tree = new LogicalTree(1, List.of(sst));
    byte[] content = fixture.fs.content(SstFixture.path(meta));
    fixture.fs.delete(SstFixture.path(meta));
    try (RunIterator all = RunIterator.overAll(tree);
        RunIterator some = new RunIterator(tree, 0, 0, () -> false, ReadAhead.Helper.NONE)) {
      assertThatThrownBy(all::seekToFirst).hasMessageContaining("missing");
      assertThat(some.seekToFirst()).isTrue();
      assertThatThrownBy(some::trailer).hasMessageContaining("missing");
      fixture.fs.put(SstFixture.path(meta), content);
      assertThatThrownBy(some::trailer).isInstanceOf(OutdatedException.class);
      assertThat(all.seekToFirst()).isTrue();
    }
  }

  /** Of a missing SST only the first and the last key are known; others may not be covered. */
  @Test
  void aRangeTombstoneOverItsFirstKeyDoesNotHideTheOthers() {
    LogicalTree tree = new LogicalTree(1, List.of(sst));
    fixture.fs.delete(SstFixture.path(meta));
    for (byte[] key : List.of(meta.smallestKey(), meta.largestKey())) {
      RangeTombstones one = RangeTombstones.of(key, Bytes.successor(key), Trailer.MAX_SEQUENCE);
      try (RunIterator run = new RunIterator(tree, 0, 0, () -> false, ReadAhead.Helper.NONE);
          MaskedIterator masked =
              new MaskedIterator(run, List.of(one), null, Trailer.MAX_SEQUENCE)) {
        assertThat(masked.seekToFirst()).isTrue();
        assertThatThrownBy(masked::trailer).hasMessageContaining("missing");
        assertThat(masked.seekToLast()).isTrue();
        assertThatThrownBy(masked::trailer).hasMessageContaining("missing");
      }
    }
  }

  @Test
  void anotherFileUnderItsNameIsFound() {
    fixture.write(entries, 8, 99, FILTER_BITS);
    fixture.fs.put(SstFixture.path(meta), fixture.fs.content(access.path(8)));
    var unused = check(sst);
    assertThat(told).hasSize(1);
    assertThat(access.faults().unusable()).isEqualTo(1);
    assertThatThrownBy(sst::reader).isInstanceOf(CorruptionException.class);
  }

  @Test
  void aFailureIsReportedUntilItHasPassed() {
    faults.failOnce(Operation.OPEN_FOR_READ, FaultyFileSystem.ANY_PATH, 1, Fault.EMFILE);
    assertThatThrownBy(() -> check(sst)).isInstanceOf(StoreIoException.class);
    assertThat(told).singleElement().isInstanceOf(StoreIoException.class);
    assertThat(access.faults().unusable()).isEqualTo(1);
    assertThat(check(sst)).isPositive();
    assertThat(access.faults().unusable()).isZero();
    files.assertNothingOpen();
  }

  @Test
  void itEndsBeforeAnyRead() {
    for (int reads = 0; reads < 4; reads++) {
      AtomicInteger left = new AtomicInteger(reads);
      assertThatThrownBy(
              () ->
                  new SstScrub(sst, false)
                      .step(
                          () -> {
                            if (left.getAndDecrement() == 0) {
                              throw new CancellationException();
                            }
                          }))
          .isInstanceOf(CancellationException.class);
      assertThat(left).hasValue(-1);
      files.assertNothingOpen();
    }
    assertThat(access.faults().unusable()).isZero();
    assertThat(told).isEmpty();
  }

  @Test
  void oneThatIsGoneIsNotRead() {
    Sst gone = attached();
    gone.markObsolete(() -> {});
    fixture.fs.delete(SstFixture.path(meta));
    assertThat(check(gone)).isZero();
    assertThat(told).isEmpty();
  }

  @Test
  void oneThatBecomesObsoleteMeanwhileIsFreedAfterwards() {
    AtomicInteger freed = new AtomicInteger();
    Sst obsolete = attached();
    AtomicInteger reads = new AtomicInteger();
    long bytes =
        new SstScrub(obsolete, false)
            .step(
                () -> {
                  if (reads.getAndIncrement() == 0) {
                    obsolete.markObsolete(freed::incrementAndGet);
                  }
                  assertThat(freed).hasValue(0);
                });
    assertThat(bytes).isPositive();
    assertThat(freed).hasValue(1);
  }
}
