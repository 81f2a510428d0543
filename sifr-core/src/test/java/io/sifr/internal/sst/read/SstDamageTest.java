package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.DamagedSst;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.testing.Entry;
import io.sifr.testing.SstMetas;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever happens to a file, nobody reads anything from it that was not written. */
@ParameterizedClass
@EnumSource(StoredForm.class)
@Tag("damage")
class SstDamageTest {
  private static final int PAGE = SstFormat.PAGE_BYTES;

  private static final List<Shape> SHAPES = List.of(Shape.values());

  private final StoredForm form;
  private final SstFixture fixture;

  SstDamageTest(StoredForm form) {
    this.form = form;
    fixture = form.fixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static List<Entry> smallEntries() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      entries.add(SstFixture.put("fruit%02d".formatted(i), 40 - i, "value of " + i));
      if (i % 3 == 0) {
        entries.add(SstFixture.delete("fruit%02d".formatted(i), 3));
      }
    }
    return entries;
  }

  /** Entries that fill some blocks of one page, with all versions of one key in two of them. */
  private static List<Entry> someBlocks() {
    List<Entry> entries = new ArrayList<>();
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      String key = i >= 60 && i < 120 ? "key0060" : "key%04d".formatted(i);
      byte[] value = new byte[100];
      random.nextBytes(value);
      entries.add(Entry.of(SstFixture.ascii(key), 1000 - i, EntryKind.PUT, value));
    }
    return entries;
  }

  /** A block, not the first, which has as many bytes as the next. */
  private BlockInfo blockLikeTheNext(SstMeta meta) {
    List<BlockInfo> blocks = fixture.blockInfos(meta);
    for (int i = 1; i + 1 < blocks.size(); i++) {
      if (blocks.get(i).bytes() == blocks.get(i + 1).bytes()) {
        return blocks.get(i);
      }
    }
    throw new AssertionError("no two blocks have as many bytes: " + blocks);
  }

  /** Reads everything in every way; a wrong answer fails the test. */
  private void readEverything(SstMeta meta, List<Entry> entries) {
    try (SstReader reader = fixture.open(meta)) {
      assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries);
      assertThat(SstFixture.readBackwards(reader.iterator())).isEqualTo(entries);
      for (Entry entry : entries) {
        assertThat(SstFixture.get(reader, entry.key(), entry.sequence())).isEqualTo(entry);
      }
    }
  }

  private static boolean isRefused(Runnable reading) {
    try {
      reading.run();
      return false;
    } catch (CorruptionException | UnsupportedFormatException e) {
      return true;
    }
  }

  private void verify(SstMeta meta) {
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
    }
  }

  @Test
  void everyFlippedBitIsFoundAndNoneChangesAnAnswer() {
    List<Entry> entries = smallEntries();
    SstMeta meta = fixture.write(entries);
    Path path = SstFixture.path(meta);
    byte[] good = fixture.fs.content(path);
    assertThat(good).hasSize(2 * PAGE);
    // Of an encoded block every byte is as good as another.
    int step = form.codec == Codecs.NONE ? 1 : 7;
    for (int bit = 0; bit < good.length * 8; bit += step) {
      byte[] bad = good.clone();
      bad[bit >> 3] ^= (byte) (1 << (bit & 7));
      fixture.fs.put(path, bad);
      boolean found = isRefused(() -> verify(meta));
      if (!found || bit % 16 == 0) {
        isRefused(() -> readEverything(meta, entries));
      }
      assertThat(found).describedAs("bit %d of byte %d", bit & 7, bit >> 3).isTrue();
    }
    fixture.fs.put(path, good);
    assertThat(isRefused(() -> verify(meta))).isFalse();
    assertThat(fixture.fs.openMappings()).isZero();
  }

  @Test
  void damageInManyBlocksIsFoundWhereItIs() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Shape shape = SHAPES.get(seed % SHAPES.size());
      List<Entry> entries = SstFixture.draw(random, shape, 30 + random.nextInt(100));
      SstMeta meta = fixture.write(entries, seed, seed);
      Path path = SstFixture.path(meta);
      byte[] bad = fixture.fs.content(path);
      int at = random.nextInt(bad.length);
      bad[at] ^= (byte) (1 + random.nextInt(255));
      fixture.fs.put(path, bad);
      assertThat(isRefused(() -> verify(meta))).describedAs("seed %d", seed).isTrue();
      isRefused(() -> readEverything(meta, entries));
    }
  }

  @Test
  void everyTruncationIsFound() {
    List<Entry> entries = someBlocks();
    SstMeta meta = fixture.write(entries);
    Path path = SstFixture.path(meta);
    byte[] good = fixture.fs.content(path);
    for (int length = 0; length < good.length; length += length % PAGE < 200 ? 1 : 97) {
      fixture.fs.put(path, Arrays.copyOf(good, length));
      assertThatThrownBy(() -> fixture.open(meta))
          .describedAs("length %d", length)
          .isInstanceOf(CorruptionException.class);
      assertThatThrownBy(() -> fixture.readMeta(meta.number()))
          .describedAs("length %d", length)
          .isInstanceOf(CorruptionException.class);
    }
    fixture.fs.put(path, Arrays.copyOf(good, good.length + PAGE));
    assertThatThrownBy(() -> fixture.readMeta(meta.number()))
        .isInstanceOf(CorruptionException.class);
  }

  /** A mapping shows zeros there, and the block was found intact before. */
  @Test
  void aPageThatLosesItsEndIsFoundByWhatReadsThere() {
    assumeThat(form).isEqualTo(StoredForm.MMAP);
    List<Entry> entries = someBlocks();
    SstMeta meta = fixture.write(entries);
    byte[] file = fixture.fs.content(SstFixture.path(meta));
    byte[] good = file.clone();
    int page = (int) fixture.blockInfos(meta).get(2).offset();
    List<Entry> inPage = fixture.blocks(meta).get(2).entries();
    fixture.fs.put(SstFixture.path(meta), file);
    try (SstReader reader = fixture.open(meta)) {
      for (Entry entry : entries) {
        assertThat(SstFixture.get(reader, entry.key(), entry.sequence())).isEqualTo(entry);
      }
      for (int cut = 0; cut < PAGE; cut++) {
        Arrays.fill(file, page + cut, page + PAGE, (byte) 0);
        int refused = 0;
        for (Entry entry : inPage) {
          boolean isRefused =
              isRefused(
                  () ->
                      assertThat(SstFixture.get(reader, entry.key(), entry.sequence()))
                          .isEqualTo(entry));
          refused += isRefused ? 1 : 0;
          isRefused(
              () -> {
                try (EntryIterator iterator = reader.iterator()) {
                  byte[] key = entry.key();
                  assertThat(iterator.seek(key, 0, key.length, entry.trailer())).isTrue();
                  assertThat(Entry.at(iterator)).isEqualTo(entry);
                }
              });
        }
        // Of the last bytes the file has a copy.
        int least = cut < 500 ? inPage.size() : cut < PAGE - 200 ? 1 : 0;
        assertThat(refused).describedAs("cut at %d", cut).isGreaterThanOrEqualTo(least);
        System.arraycopy(good, page, file, page, PAGE);
      }
    }
  }

  @Test
  void swappedBlocksAreFound() {
    List<Entry> entries = someBlocks();
    SstMeta meta = fixture.write(entries);
    byte[] bytes = fixture.fs.content(SstFixture.path(meta));
    BlockInfo block = blockLikeTheNext(meta);
    int at = (int) block.offset();
    int length = block.bytes();
    byte[] first = Arrays.copyOfRange(bytes, at, at + length);
    System.arraycopy(bytes, at + length, bytes, at, length);
    System.arraycopy(first, 0, bytes, at + length, length);
    fixture.fs.put(SstFixture.path(meta), bytes);
    assertFaultAt(at, () -> verify(meta));
    assertThat(isRefused(() -> readEverything(meta, entries))).isTrue();
  }

  @Test
  void aBlockOfAnotherSstIsFound() {
    List<Entry> entries = someBlocks();
    SstMeta meta = fixture.write(entries);
    SstMeta other = fixture.write(entries, SstFixture.NUMBER + 1, SstFixture.UNIQUE_ID + 1);
    BlockInfo block = blockLikeTheNext(meta);
    int at = (int) block.offset();
    byte[] bytes = fixture.fs.content(SstFixture.path(meta));
    byte[] foreign = fixture.fs.content(SstFixture.path(other));
    Entry damaged = fixture.blocks(meta).get(block.index()).entries().get(1);
    System.arraycopy(foreign, at, bytes, at, block.bytes());
    fixture.fs.put(SstFixture.path(meta), bytes);
    assertFaultAt(at, () -> verify(meta));
    try (SstReader reader = fixture.open(meta)) {
      Entry first = entries.get(0);
      assertThat(SstFixture.get(reader, first.key(), first.sequence())).isEqualTo(first);
      assertFaultAt(at, () -> SstFixture.get(reader, damaged.key(), damaged.sequence()));
    }
  }

  /** Linked, or renamed: the unique id tells whose the content is. */
  @Test
  void theSameSstUnderAnotherNumberHasItsSequenceNumbersRaised() {
    List<Entry> entries = someBlocks();
    SstMeta meta = fixture.write(entries);
    byte[] content = fixture.fs.content(SstFixture.path(meta));
    long base = 1L << 40;
    SstMeta linked =
        SstMetas.of(
                99,
                meta.uniqueId(),
                meta.fileBytes(),
                meta.entries(),
                meta.tombstones(),
                meta.rangeTombstones(),
                meta.rawBytes(),
                base,
                base + meta.minSequence(),
                base + meta.maxSequence(),
                meta.smallestKey(),
                meta.largestKey())
            .with(meta.times());
    fixture.fs.put(SstFixture.path(linked), content);
    List<Entry> raised =
        entries.stream()
            .map(e -> Entry.of(e.key(), base + e.sequence(), EntryKind.PUT, e.value()))
            .toList();
    readEverything(linked, raised);
    try (SstReader reader = fixture.open(linked)) {
      reader.verify();
      for (Entry entry : entries) {
        assertThat(SstFixture.get(reader, entry.key(), entry.sequence())).isNull();
      }
    }
    try (DamagedSst damaged = DamagedSst.open(fixture.access, 99, linked)) {
      assertThat(SstFixture.readForwards(damaged)).isEqualTo(raised);
      assertThat(damaged.faults()).isEmpty();
    }
  }

  @Test
  void anotherSstUnderTheNameIsFound() {
    List<Entry> entries = someBlocks();
    SstMeta meta = fixture.write(entries);
    SstMeta other = fixture.write(entries, SstFixture.NUMBER + 1, SstFixture.UNIQUE_ID + 1);
    byte[] content = fixture.fs.content(SstFixture.path(other));
    fixture.fs.put(SstFixture.path(meta), content);
    assertThatThrownBy(() -> fixture.open(meta)).isInstanceOf(CorruptionException.class);
  }

  @Test
  void aMetaThatDiffersAnywhereIsRefused() {
    SstMeta meta = fixture.write(someBlocks());
    List<SstMeta> others =
        List.of(
            with(meta, meta.uniqueId() + 1, 0, 0, 0, 0, 0, "", ""),
            with(meta, meta.uniqueId(), 1, 0, 0, 0, 0, "", ""),
            with(meta, meta.uniqueId(), 0, 1, 0, 0, 0, "", ""),
            with(meta, meta.uniqueId(), 0, 0, 1, 0, 0, "", ""),
            with(meta, meta.uniqueId(), 0, 0, 0, 1, 0, "", ""),
            with(meta, meta.uniqueId(), 0, 0, 0, 0, 1, "", ""),
            with(meta, meta.uniqueId(), 0, 0, 0, 0, 0, "key", ""),
            with(meta, meta.uniqueId(), 0, 0, 0, 0, 0, "", "key"),
            meta.with(new SstMeta.Times(meta.lastWrite() + 1, meta.lastExpiry())),
            meta.with(new SstMeta.Times(meta.lastWrite(), meta.lastExpiry() - 1)));
    for (SstMeta other : others) {
      assertThatThrownBy(() -> fixture.open(other))
          .describedAs("%s", other)
          .isInstanceOf(CorruptionException.class);
    }
    assertThat(fixture.fs.openMappings()).isZero();
  }

  private static SstMeta with(
      SstMeta meta,
      long uniqueId,
      int entries,
      int tombstones,
      int rawBytes,
      int minSequence,
      int maxSequence,
      String smallestKey,
      String largestKey) {
    return SstMetas.of(
            meta.number(),
            uniqueId,
            meta.fileBytes(),
            meta.entries() + entries,
            meta.tombstones() + tombstones,
            meta.rangeTombstones(),
            meta.rawBytes() + rawBytes,
            meta.baseSequence(),
            meta.minSequence() + minSequence,
            meta.maxSequence() + maxSequence,
            smallestKey.isEmpty() ? meta.smallestKey() : SstFixture.ascii(smallestKey),
            largestKey.isEmpty() ? meta.largestKey() : SstFixture.ascii(largestKey))
        .with(meta.times());
  }

  private static void assertFaultAt(long offset, Runnable reading) {
    assertThatThrownBy(reading::run)
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(offset));
  }
}
