package io.sifr.internal.sst.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SstFixture;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.sst.read.StoredForm;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys and values of every size, and the pages they take. */
@ParameterizedClass
@EnumSource(
    value = StoredForm.class,
    names = {"MMAP", "DIRECT", "DIRECT_DEFLATED"})
class SstSizesTest {
  private static final int PAGE = SstFormat.PAGE_BYTES;

  private final StoredForm form;
  private final SstFixture fixture;

  SstSizesTest(StoredForm form) {
    this.form = form;
    fixture = form.fixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private final Random random = new Random(5);

  @Test
  void oneSmallEntryTakesTwoPages() {
    List<Entry> entries = List.of(SstFixture.put("key", 1, "value"));
    SstMeta meta = fixture.write(entries);
    assertThat(meta.fileBytes()).isEqualTo(2L * PAGE);
    readBack(entries, meta);
  }

  @Test
  void whatFollowsTheBlocksFillsItsPages() {
    int previous = 2;
    for (int length = 1900; length < 2030; length++) {
      List<Entry> entries =
          List.of(Entry.of(value(length), 1, EntryKind.PUT, SstFixture.ascii("value")));
      SstMeta meta = fixture.write(entries, length, 3);
      readBack(entries, meta);
      int pages = (int) (meta.fileBytes() / PAGE);
      assertThat(pages).describedAs("key of %d bytes", length).isBetween(previous, 3);
      previous = pages;
    }
    assertThat(previous).isEqualTo(3);
  }

  @Test
  void emptyKeyAndEmptyValueAreAnEntry() {
    List<Entry> entries = List.of(SstFixture.put("", 0, ""));
    readBack(entries, fixture.write(entries));
  }

  @Test
  void manyVersionsOfTheEmptyKeyStraddleBlocks() {
    List<Entry> entries = new ArrayList<>();
    for (long sequence = 3000; sequence > 0; sequence--) {
      entries.add(
          sequence % 3 == 0
              ? SstFixture.delete("", sequence)
              : SstFixture.put("", sequence, "v" + sequence));
    }
    SstMeta meta = fixture.write(entries);
    assertThat(fixture.blockInfos(meta)).hasSizeGreaterThan(form.codec == Codecs.NONE ? 3 : 0);
    readBack(entries, meta);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 1, 31, 32, 4000, 4010, 4020, 4030, 4040, 4050, 4060, 4070, 4080, 4090, 4096, 4097, 8150,
        61_000, 65_450, 65_460, 65_470, 65_480, 65_490, 65_500, 65_510, 65_520, 65_530, 65_536,
        65_540, 70_000, 262_140, 3 << 20
      })
  void valuesOfTheSizeComeBackWherverTheyStand(int bytes) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int length = i % 4 == 1 ? 20 : Math.max(0, bytes - i % 3);
      entries.add(
          Entry.of(SstFixture.ascii("key" + (char) ('a' + i)), i, EntryKind.PUT, value(length)));
    }
    for (int from = 0; from < 4; from++) {
      List<Entry> part = entries.subList(from, entries.size());
      SstMeta meta = fixture.write(part, from, 99);
      readBack(part, meta);
      long content = part.stream().mapToLong(e -> e.value().length + 20).sum();
      if (bytes > 2 * PAGE) {
        // Less than a page for each, and the one that holds everything else.
        assertThat(meta.fileBytes()).isLessThan(content + PAGE * (part.size() + 2L));
      }
    }
  }

  @Test
  void blocksOfMoreThanSixteenPagesHoldOneEntry() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      int length = random.nextInt(4) == 0 ? 66_000 + random.nextInt(20_000) : random.nextInt(9000);
      entries.add(Entry.of(SstFixture.ascii("%04d".formatted(i)), i, EntryKind.PUT, value(length)));
    }
    SstMeta meta = fixture.write(entries);
    readBack(entries, meta);
    List<BlockInfo> blocks = fixture.blockInfos(meta);
    assertThat(blocks).anyMatch(block -> block.pages() > 16);
    assertThat(blocks).allMatch(block -> block.pages() <= 16 || block.entries() == 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {700, 1000, 1500, 2000, 2500, 3000, 5000, 7000, 11_000, 20_000, 40_000})
  void valuesOfSomeKibibytesWasteLittle(int bytes) {
    List<Entry> entries = new ArrayList<>();
    long content = 0;
    while (content < 4 << 20) {
      entries.add(
          Entry.of(
              SstFixture.ascii("%08d".formatted(entries.size())), 1, EntryKind.PUT, value(bytes)));
      content += bytes + 8;
    }
    SstMeta meta = fixture.write(entries);
    assertThat(meta.fileBytes()).isLessThan(content * 115 / 100);
  }

  @Test
  void smallEntriesLieInBlocksOfOnePage() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      entries.add(
          Entry.of(
              SstFixture.ascii("user%019d".formatted(i)),
              i,
              EntryKind.PUT,
              value(1 + random.nextInt(200))));
    }
    SstMeta meta = fixture.write(entries);
    List<BlockInfo> blocks = fixture.blockInfos(meta);
    long ofOnePage = blocks.stream().filter(block -> block.pages() == 1).count();
    // How much an encoded block takes can only be estimated before.
    boolean isPlain = form.codec == Codecs.NONE;
    assertThat(ofOnePage).isGreaterThanOrEqualTo(blocks.size() * (isPlain ? 100 : 95) / 100);
    assertThat(meta.fileBytes()).isLessThan(meta.rawBytes() * (isPlain ? 92 : 100) / 100);
  }

  @Test
  void keysOf64KibibytesComeBack() {
    byte[] base = value(EntryLimits.MAX_KEY_BYTES);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      byte[] key = Arrays.copyOf(base, EntryLimits.MAX_KEY_BYTES - 20 + i);
      entries.add(Entry.of(key, 5, EntryKind.PUT, value(i * 11)));
      entries.add(Entry.of(key, 4, EntryKind.DELETE, Bytes.EMPTY));
    }
    byte[] last = base.clone();
    last[0]++;
    entries.add(Entry.of(last, 1L << 54, EntryKind.PUT, value(70_000)));
    entries.sort(null);
    readBack(entries, fixture.write(entries));
  }

  @Test
  void sequenceNumbersMayLieFarApart() {
    List<Entry> entries = new ArrayList<>();
    long[] sequences = {0, Trailer.MAX_SEQUENCE, 1, Trailer.MAX_SEQUENCE - 1, 1L << 40, 127, 128};
    for (int i = 0; i < 300; i++) {
      entries.add(
          SstFixture.put("%04d".formatted(i), sequences[i % sequences.length], "v".repeat(i)));
    }
    readBack(entries, fixture.write(entries));
  }

  @Test
  void aGetChangesNothingWhenItFindsNothing() {
    SstMeta meta = fixture.write(List.of(SstFixture.put("b", 5, "value")));
    try (SstReader reader = fixture.open(meta)) {
      Lookup lookup = new Lookup();
      byte[] found = {1};
      lookup.set(found, 0, 1, Trailer.of(3, EntryKind.PUT));
      assertThat(SstFixture.get(reader, SstFixture.ascii("b"), 0, 1, 4, lookup)).isFalse();
      assertThat(SstFixture.get(reader, SstFixture.ascii("c"), 0, 1, 9, lookup)).isFalse();
      assertThat(lookup.length()).isEqualTo(1);
      assertThat(lookup.trailer()).isEqualTo(Trailer.of(3, EntryKind.PUT));
    }
  }

  private byte[] value(int length) {
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  private void readBack(List<Entry> entries, SstMeta meta) {
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
      assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries);
      assertThat(SstFixture.readBackwards(reader.iterator())).isEqualTo(entries);
      for (Entry entry : entries) {
        assertThat(SstFixture.get(reader, entry.key(), entry.sequence())).isEqualTo(entry);
      }
    }
  }
}
