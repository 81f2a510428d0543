package io.sifr.internal.sst.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SstFixture;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.internal.sst.write.SstWriter;
import io.sifr.testing.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is found of a damaged SST are the entries of all whole blocks, and gaps for the others. */
@Tag("damage")
@Tag("jvm")
class DamagedSstTest {
  private static final int PAGE = SstFormat.PAGE_BYTES;
  private static final int SEEDS = 25;

  /** A block of the undamaged file. */
  private record Block(int firstPage, int pages, List<Entry> entries) {
    boolean isHit(Set<Integer> damagedPages) {
      return damagedPages.stream().anyMatch(page -> page >= firstPage && page < firstPage + pages);
    }
  }

  private final SstFixture fixture = new SstFixture();
  private long number = 100;

  private SstMeta write(Random random, Shape shape) {
    List<Entry> entries = SstFixture.draw(random, shape, 1 + random.nextInt(300));
    return fixture.write(entries, number, 31 * number++);
  }

  private List<Block> blocks(SstMeta meta) {
    return fixture.blocks(meta).stream()
        .map(
            block ->
                new Block(
                    (int) block.info().offset() / PAGE, block.info().pages(), block.entries()))
        .toList();
  }

  private DamagedSst open(SstMeta meta, boolean expected) {
    return DamagedSst.open(fixture.access, meta.number(), expected ? meta : null);
  }

  private static List<Entry> entriesOf(List<Block> blocks) {
    return blocks.stream().flatMap(block -> block.entries().stream()).toList();
  }

  @ParameterizedTest
  @EnumSource
  void anUndamagedSstIsFoundWholly(Shape shape) {
    for (long seed = 0; seed < SEEDS; seed++) {
      SstMeta meta = write(new Random(seed), shape);
      for (boolean expected : new boolean[] {false, true}) {
        try (DamagedSst damaged = open(meta, expected)) {
          assertThat(SstFixture.readForwards(damaged))
              .describedAs("seed %d", seed)
              .isEqualTo(entriesOf(blocks(meta)));
          assertThat(damaged.gaps()).isEmpty();
          assertThat(damaged.faults()).isEmpty();
          assertThat(damaged.entries()).isEqualTo(meta.entries());
          assertThat(damaged.meta())
              .usingRecursiveComparison()
              .isEqualTo(meta.with(KeySketch.NONE)); // which is in the manifest
          // Again from the start.
          assertThat(SstFixture.readForwards(damaged)).hasSize((int) meta.entries());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void blocksThatAreNotHitAreFound(Shape shape) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      SstMeta meta = write(random, shape);
      List<Block> blocks = blocks(meta);
      int pages = blocks.get(blocks.size() - 1).firstPage() + blocks.get(blocks.size() - 1).pages();
      Set<Integer> hit = new HashSet<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        hit.add(random.nextInt(pages));
      }
      boolean tailIsHit = random.nextBoolean();
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      Set<Long> offsets = new HashSet<>();
      for (int page : hit) {
        int offset = page * PAGE + random.nextInt(PAGE);
        file[offset] ^= (byte) (1 << random.nextInt(8));
        offsets.add((long) offset);
      }
      if (tailIsHit) {
        int offset = pages * PAGE + random.nextInt(file.length - pages * PAGE);
        file[offset] ^= (byte) (1 << random.nextInt(8));
        offsets.add((long) offset);
      }
      fixture.fs.put(SstFixture.path(meta), file);
      // The header takes 32 bytes of the first page, and is known from elsewhere.
      boolean onlyHeader = offsets.stream().noneMatch(s -> s >= FileHeader.BYTES && s < PAGE);
      if (onlyHeader) {
        hit.remove(0);
      }
      try (DamagedSst damaged = open(meta, true)) {
        assertThat(SstFixture.readForwards(damaged))
            .describedAs("seed %d, hit %s, tail %b", seed, offsets, tailIsHit)
            .isEqualTo(entriesOf(blocks.stream().filter(block -> !block.isHit(hit)).toList()));
        checkGaps(seed, damaged, blocks, hit, pages, file.length / PAGE);
      }
    }
  }

  /** Each lost block lies in a gap, whose keys go at least as far as those of the block. */
  private static void checkGaps(
      long seed,
      DamagedSst damaged,
      List<Block> blocks,
      Set<Integer> hit,
      int blockPages,
      int filePages) {
    long inGaps = 0;
    for (Block block : blocks) {
      long from = (long) block.firstPage() * PAGE;
      long to = from + (long) block.pages() * PAGE;
      List<SstGap> around =
          damaged.gaps().stream()
              .filter(gap -> gap.offset() <= from && gap.offset() + gap.bytes() >= to)
              .toList();
      assertThat(around).describedAs("seed %d", seed).hasSize(block.isHit(hit) ? 1 : 0);
      for (SstGap gap : around) {
        inGaps += block.pages();
        byte[] before = gap.lastKeyBefore();
        byte[] after = gap.firstKeyAfter();
        for (Entry entry : block.entries()) {
          assertThat(before == null || Arrays.compareUnsigned(before, entry.key()) <= 0).isTrue();
          assertThat(after == null || Arrays.compareUnsigned(after, entry.key()) >= 0).isTrue();
        }
      }
    }
    long gapPages = damaged.gaps().stream().mapToLong(SstGap::bytes).sum() / PAGE;
    assertThat(gapPages)
        .describedAs("seed %d", seed)
        .isEqualTo(damaged.isEndKnown() ? inGaps : inGaps + filePages - blockPages);
  }

  @Test
  void theUniqueIdIsTakenFromWhereItIsWhole() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      SstMeta meta = write(random, Shape.NUMBERS);
      List<Entry> entries = entriesOf(blocks(meta));
      byte[] sound = fixture.fs.content(SstFixture.path(meta));
      Path path = SstFixture.path(meta);

      // Anywhere in the header; then its checksum is wrong, but the footer has the id too.
      byte[] file = sound.clone();
      file[random.nextInt(FileHeader.BYTES)] ^= 4;
      fixture.fs.put(path, file);
      assertFound(meta, false, entries);

      // In the header beside the id, and the footer: the id in the header proves true.
      file[file.length - 1 - random.nextInt(Footer.BYTES)] ^= 1;
      System.arraycopy(sound, 16, file, 16, 8);
      fixture.fs.put(path, file);
      assertFound(meta, false, entries);

      // In all places.
      file[16 + random.nextInt(8)] ^= 4;
      fixture.fs.put(path, file);
      assertFound(meta, false, List.of());
      assertFound(meta, true, entries);
    }
  }

  private void assertFound(SstMeta meta, boolean expected, List<Entry> entries) {
    try (DamagedSst damaged = open(meta, expected)) {
      assertThat(SstFixture.readForwards(damaged)).isEqualTo(entries);
      assertThat(damaged.faults()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NUMBERS", "PAGES", "HUGE"})
  void whatIsLeftOfAFileThatIsTooShortIsFound(Shape shape) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      SstMeta meta = write(random, shape);
      List<Block> blocks = blocks(meta);
      byte[] sound = fixture.fs.content(SstFixture.path(meta));
      int length = random.nextInt(sound.length);
      fixture.fs.put(SstFixture.path(meta), Arrays.copyOf(sound, length));
      List<Block> whole =
          blocks.stream()
              .filter(block -> (block.firstPage() + block.pages()) * PAGE <= length)
              .toList();
      for (boolean expected : new boolean[] {false, true}) {
        if (!expected && length < FileHeader.BYTES) {
          continue;
        }
        try (DamagedSst damaged = open(meta, expected)) {
          assertThat(SstFixture.readForwards(damaged))
              .describedAs("seed %d, length %d", seed, length)
              .isEqualTo(entriesOf(whole));
          SstGap last = damaged.gaps().get(damaged.gaps().size() - 1);
          assertThat(last.firstKeyAfter()).isNull();
          assertThat(last.offset() + last.bytes()).isEqualTo(expected ? sound.length : length);
        }
      }
    }
  }

  @Test
  void aBlockAtAnotherOffsetIsNoBlock() {
    Random random = new Random(5);
    SstMeta meta = write(random, Shape.NUMBERS);
    byte[] file = fixture.fs.content(SstFixture.path(meta));
    List<Block> blocks = blocks(meta);
    assertThat(blocks).hasSizeGreaterThan(3);
    System.arraycopy(file, 2 * PAGE, file, PAGE, PAGE);
    fixture.fs.put(SstFixture.path(meta), file);
    try (DamagedSst damaged = open(meta, true)) {
      List<Block> left = new ArrayList<>(blocks);
      left.remove(1);
      assertThat(SstFixture.readForwards(damaged)).isEqualTo(entriesOf(left));
      assertThat(damaged.gaps()).hasSize(1);
    }
  }

  @Test
  void itsDatabaseIsTold() {
    try (SstWriter writer =
        new SstWriter(fixture.access, 9, 99, 4, Codecs.NONE, SstWriter.newStaging(), null)) {
      var source = new io.sifr.testing.ListEntryIterator(List.of(SstFixture.put("a", 1, "b")));
      source.seekToFirst();
      writer.add(source);
      SstMeta meta = writer.finish(null, 0);
      try (DamagedSst damaged = open(meta, false)) {
        assertThat(damaged.databaseId()).isEqualTo(4);
      }
    }
  }
}
