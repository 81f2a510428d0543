package io.sifr.internal.sst.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.SstLayout;
import io.sifr.internal.sst.read.SstFixture;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SstWriterTest {
  private final SstFixture fixture = new SstFixture();

  private SstWriter writer() {
    return writer(SstFixture.NUMBER, SstFixture.UNIQUE_ID);
  }

  private SstWriter writer(long number, long uniqueId) {
    return new SstWriter(
        fixture.access,
        number,
        uniqueId,
        0,
        fixture.access.codecs().written(),
        SstWriter.newStaging(),
        null);
  }

  private static void add(SstWriter writer, Entry entry) {
    ListEntryIterator source = new ListEntryIterator(List.of(entry));
    source.seekToFirst();
    writer.add(source);
  }

  @Test
  void refusesWhatIsOutOfOrderAndGoesOn() {
    Entry last = SstFixture.put("banana", 10, "b");
    List<Entry> tooSmall =
        List.of(
            last,
            SstFixture.put("banana", 11, "newer"),
            SstFixture.delete("banana", 10),
            SstFixture.put("apple", 1, "smaller"),
            SstFixture.put("banan", 1, "prefix"),
            SstFixture.put("", 1, "empty"));
    try (SstWriter writer = writer()) {
      add(writer, last);
      for (Entry entry : tooSmall) {
        assertThatThrownBy(() -> add(writer, entry))
            .describedAs(entry.toString())
            .isInstanceOf(IllegalArgumentException.class);
      }
      add(writer, SstFixture.put("banana", 9, "older"));
      add(writer, Entry.of(new byte[] {(byte) 0x80}, 99, EntryKind.PUT, new byte[1]));
      SstMeta meta = writer.finish(null, 0);
      assertThat(meta.entries()).isEqualTo(3);
      try (SstReader reader = fixture.open(meta)) {
        reader.verify();
      }
    }
  }

  @Test
  void refusesKeysThatAreTooLong() {
    try (SstWriter writer = writer()) {
      Entry tooLong = Entry.of(new byte[(1 << 16) + 1], 1, EntryKind.PUT, new byte[0]);
      assertThatThrownBy(() -> add(writer, tooLong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("65537");
    }
  }

  @Test
  void doesNotFinishWithoutEntries() {
    try (SstWriter writer = writer()) {
      assertThatThrownBy(() -> writer.finish(null, 0)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(fixture.fs.exists(FileKind.SST.path(SstFixture.DIRECTORY, SstFixture.NUMBER)))
        .isFalse();
  }

  @Test
  void closeWithoutFinishDeletesTheFile() {
    try (SstWriter writer = writer()) {
      add(writer, SstFixture.put("a", 1, "a"));
    }
    assertThat(fixture.fs.exists(FileKind.SST.path(SstFixture.DIRECTORY, SstFixture.NUMBER)))
        .isFalse();
  }

  @Test
  void finishSyncsTheFileAndCloseKeepsIt() {
    try (SstWriter writer = writer()) {
      add(writer, SstFixture.put("a", 1, "a"));
      assertThat(fixture.fs.syncs()).isZero();
      writer.finish(null, 0);
      assertThat(fixture.fs.syncs()).isEqualTo(1);
    }
    assertThat(fixture.fs.exists(FileKind.SST.path(SstFixture.DIRECTORY, SstFixture.NUMBER)))
        .isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void whatTheStagingHeldBeforeDoesNotMatter(Shape shape) {
    byte[] used = SstWriter.newStaging();
    Arrays.fill(used, (byte) 0x5A);
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      List<Entry> entries = SstFixture.draw(random, shape, 1 + random.nextInt(500));
      assertThat(written(entries, used))
          .describedAs("seed %d", seed)
          .isEqualTo(written(entries, SstWriter.newStaging()));
    }
  }

  private static byte[] written(List<Entry> entries, byte[] staging) {
    SstFixture own = new SstFixture();
    try (SstWriter writer =
        new SstWriter(
            own.access, SstFixture.NUMBER, SstFixture.UNIQUE_ID, 0, Codecs.NONE, staging, null)) {
      entries.forEach(entry -> add(writer, entry));
      writer.finish(null, 0);
    }
    return own.fs.content(FileKind.SST.path(SstFixture.DIRECTORY, SstFixture.NUMBER));
  }

  /** Of huge values, which are appended in pieces, too. */
  @ParameterizedTest
  @EnumSource(names = {"TINY", "PAGES", "HUGE"})
  void theChecksumIsThatOfTheWholeFile(Shape shape) {
    SstFixture own = new SstFixture();
    KeyHash.Buffer hashes = new KeyHash.Buffer(10);
    try (SstWriter writer =
        new SstWriter(
            own.access,
            SstFixture.NUMBER,
            SstFixture.UNIQUE_ID,
            0,
            Codecs.NONE,
            SstWriter.newStaging(),
            hashes)) {
      SstFixture.draw(new Random(1), shape, 20).forEach(entry -> add(writer, entry));
      writer.finish(null, 0);
      byte[] file = own.fs.content(FileKind.SST.path(SstFixture.DIRECTORY, SstFixture.NUMBER));
      assertThat(writer.checksum()).isEqualTo(Checksums.crc32c(file, 0, file.length));
    }
  }

  /** A key left out would be hidden from all reads; versions counted as keys take room. */
  @ParameterizedTest
  @EnumSource
  void aFilterIsGivenEveryKeyOnce(Shape shape) {
    for (int seed = 0; seed < 5; seed++) {
      Random random = new Random(seed);
      checkFilter("seed " + seed, SstFixture.draw(random, shape, 1 + random.nextInt(500)));
    }
  }

  @Test
  void aFilterIsGivenKeysOfWhichOneBeginsTheNext() {
    checkFilter(
        "keys of which one begins the next",
        List.of(
            SstFixture.put("", 9, "first"),
            SstFixture.put("", 3, "older"),
            SstFixture.put("a", 8, "x"),
            SstFixture.delete("aa", 7),
            SstFixture.put("aa", 2, "older"),
            SstFixture.put("aab", 6, "x"),
            SstFixture.put("ab", 5, "x")));
  }

  private void checkFilter(String which, List<Entry> entries) {
    Set<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    KeyHash.Buffer hashes = new KeyHash.Buffer(FilterShape.MAX_BITS_PER_KEY);
    byte[] staging = SstWriter.newStaging();
    try (SstWriter writer = new SstWriter(fixture.access, 7, 9, 0, Codecs.NONE, staging, hashes)) {
      for (Entry entry : entries) {
        add(writer, entry);
        keys.add(entry.key());
      }
    }
    FilterShape shape = Objects.requireNonNull(hashes.shape());
    int bits = keys.size() * FilterShape.MAX_BITS_PER_KEY;
    assertThat(shape.blocks()).describedAs(which).isEqualTo((bits + 511) / 512);
    long[] words = hashes.toFilter(shape);
    for (byte[] key : keys) {
      long hash = KeyHash.of(key, 0, key.length);
      assertThat(shape.mayHold(hash, words, shape.block(hash) * FilterShape.BLOCK_WORDS))
          .describedAs("%s, key %s", which, Arrays.toString(key))
          .isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, Integer.MAX_VALUE})
  void tellsItsDatabase(int database) {
    byte[] staging = SstWriter.newStaging();
    try (SstWriter writer =
        new SstWriter(fixture.access, 7, 9, database, Codecs.NONE, staging, null)) {
      add(writer, SstFixture.put("apple", 1, "red"));
      try (SstReader reader = fixture.open(writer.finish(null, 0))) {
        assertThat(SstLayout.of(reader).origin().databaseId()).isEqualTo(database);
        reader.verify();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void knowsTheSizeBeforeItFinishes(Shape shape) {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      List<Entry> entries = SstFixture.draw(random, shape, 1 + random.nextInt(200));
      try (SstWriter writer = writer(seed + 1000L, seed)) {
        for (Entry entry : entries) {
          add(writer, entry);
        }
        long estimate = writer.fileBytes();
        assertThat(estimate - writer.finish(null, 0).fileBytes())
            .describedAs("seed %d", seed)
            .isIn(0L, 4096L);
      }
    }
  }
}
