package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.sst.format.RangeTombstoneField;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.Entry;
import io.sifr.testing.SstMetas;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SstRangeTombstonesTest {
  private final SstFixture fixture = new SstFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private static RangeTombstones range(String from, String to, long sequence) {
    return RangeTombstones.of(
        SstFixture.ascii(from), to.isEmpty() ? null : SstFixture.ascii(to), sequence);
  }

  private static RangeTombstones ranges(RangeTombstones... all) {
    RangeTombstones merged = RangeTombstones.merged(List.of(all));
    assertThat(merged).isNotNull();
    return merged;
  }

  @Test
  void areReadBack() {
    RangeTombstones written =
        ranges(range("a", "m", 7), range("c", "x", 9), range("y", "", Trailer.MAX_SEQUENCE));
    SstMeta meta = fixture.write(List.of(SstFixture.put("d", 8, "1")), written);
    assertThat(meta.rangeTombstones()).isEqualTo(4);
    assertThat(meta.minSequence()).isEqualTo(7);
    assertThat(meta.maxSequence()).isEqualTo(Trailer.MAX_SEQUENCE);
    Sst sst = new Sst(meta);
    sst.attach(fixture.access);
    assertThat(sst.hasRangeTombstones()).isTrue();
    assertThat(sst.hasRangeTombstonesInMemory()).isFalse();
    assertThat(sst.rangeTombstones()).hasToString(written.toString());
    assertThat(sst.hasRangeTombstonesInMemory()).isTrue();
    sst.reader().verify();
    sst.markObsolete(() -> {});
  }

  @Test
  void anSstWithoutThemIsAsBefore() {
    SstMeta meta = fixture.write(List.of(SstFixture.put("d", 8, "1")));
    byte[] with = fixture.fs.content(SstFixture.path(meta)).clone();
    assertThat(meta.rangeTombstones()).isZero();
    fixture.fs.delete(SstFixture.path(meta));
    fixture.write(List.of(SstFixture.put("d", 8, "1")), (RangeTombstones) null);
    assertThat(fixture.fs.content(SstFixture.path(meta))).isEqualTo(with);
    Sst sst = new Sst(meta);
    assertThat(sst.rangeTombstones()).isNull(); // and the file is not needed
  }

  /** The range of an SST is the range of all it says something about. */
  @Test
  void widenTheRange() {
    List<Entry> entries = List.of(SstFixture.put("h", 8, "1"), SstFixture.put("k", 9, "1"));
    assertRange(fixture.write(entries, range("i", "j", 7)), "h", "k");
    fixture.fs.delete(fixture.access.path(SstFixture.NUMBER));
    assertRange(fixture.write(entries, range("a", "z", 7)), "a", "z");
    fixture.fs.delete(fixture.access.path(SstFixture.NUMBER));
    assertRange(fixture.write(entries, range("i", "z\0", 7)), "h", "z");
    fixture.fs.delete(fixture.access.path(SstFixture.NUMBER));
    SstMeta open = fixture.write(entries, range("", "", 7));
    assertThat(open.smallestKey()).isEmpty();
    assertThat(open.largestKey()).isSameAs(EntryLimits.LAST_KEY);
  }

  private void assertRange(SstMeta meta, String smallest, String largest) {
    assertThat(new String(meta.smallestKey(), java.nio.charset.StandardCharsets.US_ASCII))
        .isEqualTo(smallest);
    assertThat(new String(meta.largestKey(), java.nio.charset.StandardCharsets.US_ASCII))
        .isEqualTo(largest);
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
    }
  }

  /** No reader need expect an SST without entries. */
  @Test
  void withoutEntriesTheFirstKeyHasATombstone() {
    SstMeta meta = fixture.write(List.of(), ranges(range("b", "m", 7), range("b", "z", 9)));
    assertThat(meta.entries()).isEqualTo(1);
    assertThat(meta.tombstones()).isEqualTo(1);
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
      assertThat(SstFixture.readForwards(reader.iterator()))
          .isEqualTo(List.of(SstFixture.delete("b", 9)));
    }
  }

  /** A tombstone in a slice covers no key outside it: the output of a compaction holds these. */
  @Test
  void areClippedWithTheirSst() {
    SstMeta meta = fixture.write(List.of(SstFixture.put("d", 8, "1")), range("a", "", 7));
    Sst sst = new Sst(meta);
    sst.open(fixture.access);
    SstSlice middle = new ClippedSst(sst, SstFixture.ascii("c\0"), SstFixture.ascii("f"));
    assertThat(middle.rangeTombstones()).hasToString(range("c\0", "f\0", 7).toString());
    SstSlice end = new ClippedSst(sst, SstFixture.ascii("c\0"), meta.largestKey());
    assertThat(end.rangeTombstones()).hasToString(range("c\0", "", 7).toString());
    byte[] longest = new byte[EntryLimits.MAX_KEY_BYTES];
    Arrays.fill(longest, (byte) 'c');
    SstSlice afterLongest = new ClippedSst(sst, Bytes.successor(longest), SstFixture.ascii("f"));
    byte[] first = Objects.requireNonNull(afterLongest.rangeTombstones()).first();
    assertThat(first).hasSize(EntryLimits.MAX_KEY_BYTES).endsWith('d').startsWith('c', 'c');
    sst.markObsolete(() -> {});
  }

  @Test
  void theManifestMustCountThem() {
    SstMeta meta = fixture.write(List.of(SstFixture.put("d", 8, "1")), range("a", "z", 7));
    SstMeta other =
        SstMetas.of(
                meta.number(),
                meta.uniqueId(),
                meta.fileBytes(),
                meta.entries(),
                meta.tombstones(),
                0,
                meta.rawBytes(),
                0,
                meta.minSequence(),
                meta.maxSequence(),
                meta.smallestKey(),
                meta.largestKey())
            .with(meta.times());
    assertThatThrownBy(() -> fixture.open(other))
        .hasMessageContaining("number of fragments of range tombstones is 1, the manifest says 0");
  }

  /** Fields with right checksums and wrong content. */
  @Test
  void aMalformedFieldIsRefused() {
    byte[] good = RangeTombstoneField.encode(ranges(range("a", "m", 7), range("c", "x", 9)));
    assertThat(RangeTombstoneField.decode(ByteBuffer.wrap(good), 5))
        .hasToString(ranges(range("a", "m", 12), range("c", "x", 14)).toString());
    Random random = new Random(20);
    for (int i = 0; i < 20_000; i++) {
      byte[] wrong = Arrays.copyOf(good, random.nextInt(good.length + 1));
      for (int flips = random.nextInt(4); flips > 0 && wrong.length > 0; flips--) {
        wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        RangeTombstones decoded = RangeTombstoneField.decode(ByteBuffer.wrap(wrong), 0);
        byte[] again = RangeTombstoneField.encode(decoded);
        assertThat(RangeTombstoneField.decode(ByteBuffer.wrap(again), 0))
            .hasToString(decoded.toString());
      } catch (IllegalArgumentException | BufferUnderflowException e) {
        // as it should be
      }
    }
  }
}
