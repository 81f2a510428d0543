package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sifr.config.ReadMode;
import io.sifr.error.CorruptionException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.DamagedSst;
import io.sifr.internal.sst.inspect.SstLayout;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.internal.util.Bytes.VarInts;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** SSTs with many small index parts, of which the cache keeps all, some, or none. */
@ParameterizedClass
@EnumSource(StoredForm.class)
class IndexInPartsTest {
  private static final int PART_BYTES = 100;

  private static final List<Shape> SHAPES =
      List.of(Shape.TINY, Shape.NUMBERS, Shape.LONG_PREFIXES, Shape.PAGES, Shape.HUGE);

  private final StoredForm form;

  IndexInPartsTest(StoredForm form) {
    this.form = form;
  }

  private SstFixture fixture(long cacheBytes) {
    return new SstFixture(form.mode, TestCodecs.writing(form.codec, PART_BYTES), cacheBytes);
  }

  /** Keys that have blocks to themselves, so that parts have few of them. */
  private static List<Entry> manyBlocks() {
    return SstFixture.draw(new Random(1), Shape.PAGES, 300);
  }

  @Test
  void everyWayOfReadingCrossesParts() {
    for (int seed = 0; seed < 9; seed++) {
      Random random = new Random(seed);
      Shape shape = SHAPES.get(seed % SHAPES.size());
      List<Entry> entries = SstFixture.draw(random, shape, 20 + random.nextInt(200));
      try (SstFixture fixture = fixture(List.of(0L, 24L << 10, 1L << 24).get(seed % 3))) {
        SstMeta meta = fixture.write(entries);
        try (SstReader reader = fixture.open(meta)) {
          for (Entry entry : entries) {
            assertThat(SstFixture.get(reader, entry.key(), entry.sequence()))
                .as("seed %d", seed)
                .isEqualTo(entry);
          }
          for (ReadAhead.Policy policy : ReadAhead.Policy.values()) {
            assertThat(SstFixture.readForwards(reader.iterator(policy, ReadAhead.Helper.NONE)))
                .isEqualTo(entries);
            assertThat(SstFixture.readBackwards(reader.iterator(policy, ReadAhead.Helper.NONE)))
                .isEqualTo(entries);
          }
          jumpAbout(reader, entries, random);
          reader.verify();
          assertThat(reader.shareBetween(meta.smallestKey(), meta.largestKey())).isEqualTo(1);
        }
      }
    }
  }

  private static void jumpAbout(SstReader reader, List<Entry> entries, Random random) {
    ListEntryIterator model = new ListEntryIterator(entries);
    try (EntryIterator iterator = reader.iterator()) {
      for (int i = 0; i < 100; i++) {
        byte[] key = entries.get(random.nextInt(entries.size())).key();
        long seek = Trailer.seek(random.nextInt(1000));
        boolean before = random.nextBoolean();
        boolean on =
            before
                ? iterator.seekBefore(key, 0, key.length)
                : iterator.seek(key, 0, key.length, seek);
        assertThat(on)
            .isEqualTo(
                before
                    ? model.seekBefore(key, 0, key.length)
                    : model.seek(key, 0, key.length, seek));
        boolean forwards = random.nextBoolean();
        for (int steps = random.nextInt(20); steps > 0 && on; steps--) {
          assertThat(Entry.at(iterator)).isEqualTo(Entry.at(model));
          on = forwards ? iterator.next() : iterator.previous();
          assertThat(on).isEqualTo(forwards ? model.next() : model.previous());
        }
      }
    }
  }

  @Test
  void thereAreManyParts() {
    try (SstFixture fixture = fixture(0);
        SstReader reader = fixture.open(fixture.write(manyBlocks()))) {
      assertThat(reader.tail().top().parts()).isBetween(4, SstLayout.of(reader).blocks());
    }
  }

  /** What is evicted while another thread uses it is still right. */
  @Test
  void fourThreadsReadThroughACacheThatKeepsLittle() throws Exception {
    List<Entry> entries = manyBlocks();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (SstFixture fixture = fixture(48 << 10)) {
      SstMeta meta = fixture.write(entries);
      try (SstReader reader = fixture.open(meta)) {
        List<Future<?>> runs = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
          Random random = new Random(t);
          runs.add(
              threads.submit(
                  () -> {
                    for (int i = 0; i < 1000; i++) {
                      Entry entry = entries.get(random.nextInt(entries.size()));
                      assertThat(SstFixture.get(reader, entry.key(), entry.sequence()))
                          .isEqualTo(entry);
                    }
                    jumpAbout(reader, entries, random);
                  }));
        }
        for (Future<?> run : runs) {
          run.get();
        }
      }
      assertThat(fixture.access.memory().cache().bytes())
          .as("nothing is left of a closed SST")
          .isZero();
    } finally {
      threads.shutdownNow();
    }
  }

  /** A part in pages of a mapping that are in memory needs no I/O, and is loaded at once. */
  @Test
  void aPartThatIsMappedIsInMemory() {
    assumeTrue(form.mode == ReadMode.MMAP);
    List<Entry> entries = manyBlocks();
    try (SstFixture fixture = fixture(1 << 24);
        SstReader reader = fixture.open(fixture.write(entries))) {
      for (Entry entry : List.of(entries.get(0), entries.get(entries.size() - 1))) {
        assertThat(reader.isInMemory(find(reader, entry))).isTrue();
      }
    }
  }

  @Test
  void aPartThatIsNotLoadedIsNotInMemory() {
    assumeTrue(form.mode != ReadMode.MMAP);
    List<Entry> entries = manyBlocks();
    try (SstFixture fixture = fixture(1 << 24);
        SstReader reader = fixture.open(fixture.write(entries))) {
      Entry first = entries.get(0);
      Entry last = entries.get(entries.size() - 1);
      EntryIterator.Target toFirst = EntryIterator.Target.FIRST;
      EntryIterator.Target toLast = EntryIterator.Target.LAST;
      assertThat(reader.isInMemory(toFirst)).isFalse();
      assertThat(find(reader, first)).isEqualTo(SstReader.NOT_IN_MEMORY);
      assertThat(reader.isInMemory(find(reader, first))).isFalse();
      SstFixture.get(reader, first.key(), first.sequence());
      assertThat(reader.isInMemory(find(reader, first))).isTrue();
      assertThat(reader.isInMemory(toFirst)).isTrue();
      assertThat(find(reader, last)).isEqualTo(SstReader.NOT_IN_MEMORY);
      assertThat(reader.isInMemory(toLast)).isFalse();
      SstFixture.get(reader, last.key(), last.sequence());
      assertThat(reader.isInMemory(toLast)).isTrue();
    }
  }

  private static long find(SstReader reader, Entry entry) {
    return reader.find(entry.key(), 0, entry.key().length, entry.sequence());
  }

  /** And what does not need it is served. */
  @Test
  void damageInAPartIsFoundByWhatNeedsIt() {
    List<Entry> entries = manyBlocks();
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      try (SstFixture fixture = fixture(seed % 2 == 0 ? 0 : 1 << 24)) {
        SstMeta meta = fixture.write(entries);
        byte[] file = fixture.fs.content(SstFixture.path(meta));
        Footer footer =
            Footer.decode(SstFixture.path(meta), ByteBuffer.wrap(file), file.length, FileKeys.NONE);
        int at = footer.blocksEnd() + random.nextInt(footer.topOffset() - footer.blocksEnd());
        file[at] ^= (byte) (1 << random.nextInt(8));
        fixture.fs.put(SstFixture.path(meta), file);
        try (SstReader reader = fixture.open(meta)) {
          int damaged = 0;
          for (Entry entry : entries) {
            try {
              assertThat(SstFixture.get(reader, entry.key(), entry.sequence())).isEqualTo(entry);
            } catch (CorruptionException e) {
              assertThat(e.file()).isEqualTo(SstFixture.path(meta));
              assertThat(e.offset()).isBetween(at - PART_BYTES - 10_000L, (long) at);
              assertThat(e.offset()).isGreaterThanOrEqualTo(footer.blocksEnd());
              damaged++;
            }
          }
          assertThat(damaged).isBetween(1, entries.size() / 2);
          assertThatThrownBy(() -> SstFixture.readForwards(reader.iterator()))
              .isInstanceOf(CorruptionException.class);
          assertThatThrownBy(() -> SstFixture.readBackwards(reader.iterator()))
              .isInstanceOf(CorruptionException.class);
          assertThatThrownBy(reader::verify).isInstanceOf(CorruptionException.class);
        }
      }
    }
  }

  /** After a failure it can be led elsewhere. */
  @Test
  void anIteratorThatCannotEnterAPartIsNotPositioned() {
    List<Entry> entries = manyBlocks();
    try (SstFixture fixture = fixture(0)) {
      SstMeta meta = fixture.write(entries);
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      Footer footer =
          Footer.decode(SstFixture.path(meta), ByteBuffer.wrap(file), file.length, FileKeys.NONE);
      file[footer.topOffset() - 1] ^= 1; // in the last part
      fixture.fs.put(SstFixture.path(meta), file);
      try (SstReader reader = fixture.open(meta);
          EntryIterator iterator = reader.iterator()) {
        assertThat(iterator.seekToFirst()).isTrue();
        assertThatThrownBy(
                () -> {
                  while (iterator.next()) {
                    // up to the last part
                  }
                })
            .isInstanceOf(CorruptionException.class);
        assertThat(iterator.valid()).isFalse();
        assertThatThrownBy(iterator::seekToLast).isInstanceOf(CorruptionException.class);
        assertThat(iterator.valid()).isFalse();
        assertThat(iterator.seekToFirst()).isTrue();
        assertThat(Entry.at(iterator)).isEqualTo(entries.get(0));
      }
    }
  }

  /** Only a wrong writer makes that: the checksum is right. */
  @Test
  void aPartThatDoesNotFollowThePartBeforeIsFoundByVerification() {
    try (SstFixture fixture = fixture(0)) {
      SstMeta meta = fixture.write(manyBlocks());
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      Footer footer =
          Footer.decode(SstFixture.path(meta), ByteBuffer.wrap(file), file.length, FileKeys.NONE);
      ByteBuffer top = ByteBuffer.wrap(file).position(footer.topOffset());
      int second = footer.blocksEnd() + nextPartBytes(top);
      file[second]++; // the number of its first block
      SstFixture.resealBlock(file, second, nextPartBytes(top), meta.uniqueId());
      fixture.fs.put(SstFixture.path(meta), file);
      try (SstReader reader = fixture.open(meta)) {
        assertThatThrownBy(reader::verify)
            .isInstanceOfSatisfying(
                CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(second))
            .hasMessageContaining("the part before ends elsewhere");
      }
      try (DamagedSst damaged = DamagedSst.open(fixture.access, meta.number(), meta)) {
        assertThat(damaged.faults()).hasSize(1);
      }
    }
  }

  /** A merge would leave out what is between the two. */
  @Test
  void aPartThatBeginsTooLateIsFoundByEveryScan() {
    try (SstFixture fixture = fixture(1 << 24)) {
      SstMeta meta = fixture.write(manyBlocks());
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      Footer footer =
          Footer.decode(SstFixture.path(meta), ByteBuffer.wrap(file), file.length, FileKeys.NONE);
      ByteBuffer top = ByteBuffer.wrap(file).position(footer.topOffset());
      int second = footer.blocksEnd() + nextPartBytes(top);
      file[second]++; // the number of its first block
      SstFixture.resealBlock(file, second, nextPartBytes(top), meta.uniqueId());
      fixture.fs.put(SstFixture.path(meta), file);
      try (SstReader reader = fixture.open(meta)) {
        for (ReadAhead.Policy policy : ReadAhead.Policy.values()) {
          assertThatThrownBy(
                  () -> SstFixture.readForwards(reader.iterator(policy, ReadAhead.Helper.NONE)))
              .isInstanceOf(CorruptionException.class)
              .hasMessageContaining("the part before ends elsewhere");
          assertThatThrownBy(
                  () -> SstFixture.readBackwards(reader.iterator(policy, ReadAhead.Helper.NONE)))
              .isInstanceOf(CorruptionException.class);
        }
      }
    }
  }

  /**
   * Reads the next entry of the top: a fence, perhaps with a sequence number, and a part's bytes.
   */
  private static int nextPartBytes(ByteBuffer top) {
    VarInts.getInt(top);
    int suffixAndFlag = VarInts.getInt(top);
    if ((suffixAndFlag & 1) != 0) {
      VarInts.getLong(top);
    }
    top.position(top.position() + (suffixAndFlag >>> 1));
    return VarInts.getInt(top);
  }
}
