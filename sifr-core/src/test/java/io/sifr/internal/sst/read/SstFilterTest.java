package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.ReadMode;
import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.resources.SharedMemory;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.DamagedSst;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Entry;
import io.sifr.testing.Padded;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters of several pages. */
@ParameterizedClass
@EnumSource
class SstFilterTest {
  private static final int PAGE = SstFormat.PAGE_BYTES;
  private static final int KEYS = 4000;
  private static final int BITS = 32;

  /** The hashes of the keys of even numbers, which are there, and of odd ones, which are not. */
  private static final long[] HASHES =
      IntStream.range(0, 2 * KEYS).mapToLong(SstFilterTest::hash).toArray();

  private final ReadMode mode;

  SstFilterTest(ReadMode mode) {
    this.mode = mode;
  }

  private SstFixture fixture(long cacheBytes) {
    return new SstFixture(mode, BlockCodecs.STANDARD, cacheBytes);
  }

  /** Even numbers, of which every fifth key has two versions. */
  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      String key = Padded.number(2L * i, 6);
      entries.add(SstFixture.put(key, 2L * i + 1, "x"));
      if (i % 5 == 0) {
        entries.add(SstFixture.delete(key, 2L * i));
      }
    }
    return entries;
  }

  private static SstMeta write(SstFixture fixture) {
    return fixture.write(entries(), SstFixture.NUMBER, SstFixture.UNIQUE_ID, BITS);
  }

  private static boolean mayHold(SstReader reader, int number) {
    return reader.mayHold(HASHES[number]);
  }

  private static long hash(int number) {
    byte[] key = SstFixture.ascii(Padded.number(number, 6));
    return KeyHash.of(key, 0, key.length);
  }

  private static int absentThatPass(SstReader reader) {
    int passed = 0;
    List<Integer> ruledOut = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      if (!mayHold(reader, 2 * i)) {
        ruledOut.add(2 * i);
      }
      passed += mayHold(reader, 2 * i + 1) ? 1 : 0;
    }
    assertThat(ruledOut).as("keys that are there").isEmpty();
    return passed;
  }

  /** The cache keeps all pages, or few of them. */
  @ParameterizedTest
  @ValueSource(longs = {1 << 20, 60_000})
  void itRulesOutOnlyKeysThatAreNotThere(long cacheBytes) {
    try (SstFixture fixture = fixture(cacheBytes);
        SstReader reader = fixture.open(write(fixture))) {
      assertThat(reader.tail().footer().filterPages()).isGreaterThan(3);
      assertThat(absentThatPass(reader)).isLessThan(10);
      assertThat(fixture.access.filterCounts().rejects()).isGreaterThan(KEYS - 10);
      reader.verify();
    }
  }

  private boolean isMapped() {
    return mode == ReadMode.MMAP || mode == ReadMode.AUTO;
  }

  /** One more read would be no better than to search a block. */
  @Test
  void itIsNotReadWhereItCannotBeKept() {
    try (SstFixture fixture = fixture(8 << 10);
        SstReader reader = fixture.open(write(fixture))) {
      long before = fixture.access.meter().reads();
      int passed = absentThatPass(reader);
      assertThat(passed).isBetween(isMapped() ? 0 : KEYS, isMapped() ? 10 : KEYS);
      assertThat(fixture.access.memory().cache().bytes()).isZero();
      assertThat(fixture.access.meter().reads()).isEqualTo(before);
      reader.verify();
    }
  }

  @Test
  void allPagesAreReadAtOnceAndDroppedWithTheReader() {
    try (SstFixture fixture = fixture(1 << 20)) {
      try (SstReader reader = fixture.open(write(fixture))) {
        long before = fixture.access.meter().reads();
        long hash = KeyHash.of(SstFixture.ascii("000000"), 0, 6);
        assertThat(reader.hasFilterInMemory(hash)).isEqualTo(isMapped());
        assertThat(mayHold(reader, 0)).isTrue();
        assertThat(reader.hasFilterInMemory(hash)).isTrue();
        int passed = absentThatPass(reader) + absentThatPass(reader);
        assertThat(passed).isLessThan(20);
        assertThat(fixture.access.meter().reads() - before).isEqualTo(isMapped() ? 0 : 1);
        assertThat(fixture.access.memory().cache().bytes()).isBetween(4L * KEYS, 5L * KEYS);
      }
      assertThat(fixture.access.memory().cache().bytes()).isZero();
    }
  }

  /** A file that is closed because too many are open must not be opened for each answer. */
  @Test
  void ofAFileThatWasClosedPagesAreKept() {
    try (SstFixture fixture = fixture(1 << 20);
        SstAccess onlyOneOpen =
            new SstAccess(
                EntryKinds.STANDARD,
                new ValueFiles(fixture.fs, SstFixture.DIRECTORY, BlockCodecs.STANDARD::withId),
                BlockCodecs.STANDARD,
                mode,
                new SstAccess.Memory(SharedMemory.ofCache(1 << 20).join(), 1 << 30),
                new SstAccess.OpenFiles(1, Runnable::run))) {
      SstMeta meta = write(fixture);
      SstMeta other = fixture.write(entries(), SstFixture.NUMBER + 1, 77, BITS);
      try (SstReader reader = SstReader.open(onlyOneOpen, meta);
          SstReader closing = SstReader.open(onlyOneOpen, other)) {
        assertThat(absentThatPass(reader)).isLessThan(10);
        for (int i = 0; i < 10; i++) {
          closing.requireUsable();
          reader.requireUsable();
          closing.requireUsable();
        }
        int open = fixture.fs.opened();
        assertThat(absentThatPass(reader)).isLessThan(10);
        assertThat(absentThatPass(reader)).isLessThan(10);
        assertThat(fixture.fs.opened()).isLessThanOrEqualTo(open + 1);
      }
    }
  }

  /** What was checked in a mapping is checked again once the file is known to have changed. */
  @Test
  void damageThatComesLaterRulesOutNothingOnceItIsKnown() {
    try (SstFixture fixture = fixture(1 << 20)) {
      SstMeta meta = write(fixture);
      int at = footer(fixture, meta).blocksEnd();
      try (SstReader reader = fixture.open(meta)) {
        assertThat(absentThatPass(reader)).isLessThan(10);
        if (isMapped()) {
          fixture.fs.overwrite(SstFixture.path(meta), at, new byte[PAGE]);
          reader.distrust();
          assertThat(fixture.access.memory().cache().bytes()).isZero();
          assertThat(absentThatPass(reader)).isGreaterThan(KEYS / 20);
        }
      }
    }
  }

  /** Nothing is ruled out by damage, wherever in a page it is; verification finds it. */
  @Test
  @Tag("damage")
  void aDamagedPageRulesOutNothing() {
    Random random = new Random(1);
    for (int round = 0; round < 60; round++) {
      try (SstFixture fixture = fixture(1 << 20)) {
        SstMeta meta = write(fixture);
        Path path = SstFixture.path(meta);
        byte[] file = fixture.fs.content(path);
        Footer footer = footer(fixture, meta);
        int at = footer.blocksEnd() + random.nextInt(footer.filterPages() * PAGE);
        file[at] ^= (byte) (1 << random.nextInt(8));
        fixture.fs.put(path, file);
        try (SstReader reader = fixture.open(meta)) {
          assertThat(absentThatPass(reader)).as("round %d", round).isGreaterThan(KEYS / 20);
          assertThatThrownBy(reader::verify)
              .isInstanceOfSatisfying(
                  CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(at - at % PAGE))
              .hasMessageContaining("filter");
          assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries());
        }
        try (DamagedSst damaged = DamagedSst.open(fixture.access, meta.number(), meta)) {
          assertThat(damaged.faults()).hasSize(1);
          assertThat(SstFixture.readForwards(damaged)).isEqualTo(entries());
        }
      }
    }
  }

  private static Footer footer(SstFixture fixture, SstMeta meta) {
    try (SstReader reader = fixture.open(meta)) {
      return reader.tail().footer();
    }
  }

  @Test
  void aPageOfAnotherSstRulesOutNothing() {
    try (SstFixture fixture = fixture(1 << 20)) {
      SstMeta meta = write(fixture);
      SstMeta other = fixture.write(entries(), SstFixture.NUMBER + 1, 77, BITS);
      int at = footer(fixture, meta).blocksEnd();
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      byte[] foreign = fixture.fs.content(SstFixture.path(other));
      System.arraycopy(foreign, at, file, at, PAGE);
      requireFoundAt(at, fixture, meta, file);
    }
  }

  @Test
  void pagesThatWereExchangedRuleOutNothing() {
    try (SstFixture fixture = fixture(1 << 20)) {
      SstMeta meta = write(fixture);
      int at = footer(fixture, meta).blocksEnd();
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      byte[] first = Arrays.copyOfRange(file, at, at + PAGE);
      System.arraycopy(file, at + PAGE, file, at, PAGE);
      System.arraycopy(first, 0, file, at + PAGE, PAGE);
      requireFoundAt(at, fixture, meta, file);
    }
  }

  private static void requireFoundAt(int at, SstFixture fixture, SstMeta meta, byte[] file) {
    fixture.fs.put(SstFixture.path(meta), file);
    try (SstReader reader = fixture.open(meta)) {
      assertThat(absentThatPass(reader)).isGreaterThan(KEYS / 20);
      assertThatThrownBy(reader::verify)
          .isInstanceOfSatisfying(
              CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(at));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 10", "1, 0", "1, 33", "-1, 10", "1310721, 10"})
  void aFooterThatDescribesNoPossibleFilterIsRefused(int blocks, int bitsPerKey) {
    try (SstFixture fixture = fixture(1 << 20)) {
      SstMeta meta = write(fixture);
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      int footer = file.length - Footer.BYTES;
      ByteBuffer.wrap(file).putInt(footer + 28, blocks).putShort(footer + 50, (short) bitsPerKey);
      SstFixture.resealPiece(file, footer, Footer.BYTES - Integer.BYTES, meta.uniqueId());
      fixture.fs.put(SstFixture.path(meta), file);
      assertThatThrownBy(() -> fixture.open(meta))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("a filter of " + blocks + " blocks with " + bitsPerKey);
    }
  }

  /** Only a wrong writer makes that: the checksum is right. */
  @Test
  void verificationFindsAFilterThatRulesOutAKey() {
    try (SstFixture fixture = fixture(1 << 20)) {
      SstMeta meta = write(fixture);
      int at = footer(fixture, meta).blocksEnd() + PAGE;
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      Arrays.fill(file, at, at + 64, (byte) 0);
      SstFixture.resealPiece(file, at, PAGE - Integer.BYTES, meta.uniqueId());
      fixture.fs.put(SstFixture.path(meta), file);
      try (SstReader reader = fixture.open(meta)) {
        assertThatThrownBy(reader::verify)
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("the filter rules out a key of the SST");
      }
    }
  }
}
