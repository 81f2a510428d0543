package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.ReadMode;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.SharedMemory;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Entry;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.LeakCountingFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a get reads, by what is in memory and whether the file is open. */
class ReadsOfAGetTest {
  private static final int PAGE = SstFormat.PAGE_BYTES;

  /** Hash of a key that is nowhere. */
  private static final long ABSENT = 0x9E3779B97F4A7C15L;

  private final SstFixture fixture =
      new SstFixture(ReadMode.DIRECT, TestCodecs.writing(Codecs.NONE, 100), 0);
  private final List<Entry> entries = SstFixture.draw(new Random(1), Shape.NUMBERS, 3000);
  private final SstMeta meta = fixture.write(entries);
  private final LeakCountingFileSystem files = new LeakCountingFileSystem(fixture.fs);
  private final CountedFiles counted = new CountedFiles(files);

  @AfterEach
  void nothingLeaks() {
    fixture.close();
    files.assertNothingOpen();
  }

  private SstAccess access(ReadMode mode, long cacheBytes, int mostOpen) {
    return new SstAccess(
        EntryKinds.STANDARD,
        new ValueFiles(counted, SstFixture.DIRECTORY, BlockCodecs.STANDARD::withId),
        BlockCodecs.STANDARD,
        mode,
        new SstAccess.Memory(SharedMemory.ofCache(cacheBytes).join(), 0),
        new SstAccess.OpenFiles(mostOpen, Runnable::run));
  }

  private static void get(SstReader reader, Entry entry) {
    assertThat(SstFixture.get(reader, entry.key(), entry.sequence())).isEqualTo(entry);
  }

  @Test
  void theFirstGetReadsTheTailAPartAndABlock() {
    try (SstAccess access = access(ReadMode.DIRECT, 1 << 20, 100);
        SstReader reader = SstReader.open(access, meta)) {
      Footer footer = reader.tail().footer();
      assertThat(counted.reads).isEqualTo(List.of(new Read(meta.fileBytes() - 2 * PAGE, 2 * PAGE)));
      counted.reads.clear();
      Entry first = entries.get(0);
      get(reader, first);
      assertThat(counted.reads)
          .isEqualTo(List.of(new Read(footer.blocksEnd(), PAGE), new Read(0, PAGE)));
      counted.reads.clear();
      get(reader, first);
      assertThat(counted.reads).isEmpty();
      Entry other = entries.get(entries.size() / 2);
      get(reader, other);
      assertThat(counted.reads).as("another part and its block").hasSize(2);
      counted.reads.clear();
      int block = blockOf(reader, other);
      Entry neighbour = inBlockBeside(reader, block, other);
      get(reader, neighbour);
      assertThat(counted.reads).as("another block of the same part").hasSize(1);
    }
  }

  private static int blockOf(SstReader reader, Entry entry) {
    return (int) reader.find(entry.key(), 0, entry.key().length, entry.sequence());
  }

  /** An entry of the same part and another block. */
  private Entry inBlockBeside(SstReader reader, int block, Entry entry) {
    long part = reader.find(entry.key(), 0, entry.key().length, entry.sequence()) >>> Integer.SIZE;
    return entries.stream()
        .filter(
            e -> {
              long at = reader.find(e.key(), 0, e.key().length, e.sequence());
              return at != SstReader.NOT_IN_MEMORY
                  && at >>> Integer.SIZE == part
                  && (int) at != block;
            })
        .findFirst()
        .orElseThrow();
  }

  /** Two SSTs of which only one may be open. */
  @Test
  void aGetFromAnSstThatIsNotOpenReadsItsBlockAlone() {
    SstMeta otherMeta = fixture.write(entries, 8, 99);
    try (SstAccess access = access(ReadMode.DIRECT, 1 << 20, 1);
        SstReader reader = SstReader.open(access, meta)) {
      Entry entry = entries.get(1500);
      get(reader, entry);
      Entry neighbour = inBlockBeside(reader, blockOf(reader, entry), entry);
      try (SstReader other = SstReader.open(access, otherMeta)) {
        assertThat(files.openCount()).isEqualTo(1);
        counted.reads.clear();
        counted.opened = 0;
        get(reader, entry);
        assertThat(counted.opened).as("what is in memory needs no file").isZero();
        get(reader, neighbour);
        assertThat(counted.opened).isEqualTo(1);
        assertThat(counted.reads).hasSize(1);
        assertThat(files.openCount()).isEqualTo(1);
        get(other, entry);
      }
    }
  }

  @Test
  void whatIsMappedAgainIsReadWithoutItsTail() {
    SstMeta otherMeta = fixture.write(entries, 8, 99);
    try (SstAccess access = access(ReadMode.MMAP, 1 << 20, 1);
        SstReader reader = SstReader.open(access, meta);
        SstReader other = SstReader.open(access, otherMeta)) {
      for (int i = 0; i < 5; i++) {
        counted.opened = 0;
        get(reader, entries.get(7));
        get(other, entries.get(7));
        assertThat(counted.opened).isEqualTo(2);
        assertThat(files.openCount()).isEqualTo(1);
      }
      try (EntryIterator iterator = reader.iterator()) {
        assertThat(iterator.seekToFirst()).isTrue();
        get(other, entries.get(7));
        assertThat(iterator.next()).as("its file is open as long as it is").isTrue();
        assertThat(files.openCount()).isEqualTo(2);
      }
    }
  }

  /** A file that has changed in the meantime must not be mapped beyond its end. */
  @Test
  void aFileOfAnotherSizeIsNotOpenedAgain() {
    SstMeta otherMeta = fixture.write(entries, 8, 99);
    for (ReadMode mode : List.of(ReadMode.MMAP, ReadMode.DIRECT)) {
      try (SstAccess access = access(mode, 1 << 20, 1)) {
        Sst sst = new Sst(meta);
        sst.open(access);
        Sst other = new Sst(otherMeta);
        other.open(access);
        byte[] content = fixture.fs.content(SstFixture.path(meta));
        fixture.fs.put(SstFixture.path(meta), Arrays.copyOf(content, content.length - PAGE));
        assertThatThrownBy(() -> get(sst.reader(), entries.get(7)))
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("bytes");
        assertThat(access.faults().unusable()).isEqualTo(1);
        fixture.fs.put(SstFixture.path(meta), content);
        get(sst.reader(), entries.get(7));
        assertThat(access.faults().unusable()).isZero();
        sst.markObsolete(() -> {});
        other.markObsolete(() -> {});
      }
    }
  }

  /** All pages of the filter with one read while there is plenty of room, else the one it needs. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aKeyThatTheFilterRulesOutReadsOnce(boolean hasPlenty) {
    SstMeta withFilter = fixture.write(entries, 9, 100, 32);
    try (SstAccess access = access(ReadMode.DIRECT, hasPlenty ? 1 << 20 : 60_000, 100);
        SstReader reader = SstReader.open(access, withFilter)) {
      Footer footer = reader.tail().footer();
      counted.reads.clear();
      assertThat(reader.mayHold(ABSENT)).isFalse();
      assertThat(counted.reads).hasSize(1);
      Read page = counted.reads.get(0);
      assertThat(footer.filterPages()).isGreaterThan(1);
      assertThat(page.bytes).isEqualTo(hasPlenty ? footer.filterPages() * PAGE : PAGE);
      assertThat(page.position).isBetween((long) footer.blocksEnd(), footer.partsOffset() - 1L);
      assertThat(reader.mayHold(ABSENT)).isFalse();
      assertThat(counted.reads).hasSize(1);
    }
  }

  /** Most likely the block can be read; and if not, it says so itself. */
  @Test
  void aPageOfAFilterThatCannotBeReadRulesOutNothingUntilItCan() {
    SstMeta withFilter = fixture.write(entries, 9, 100, 32);
    try (SstAccess access = access(ReadMode.DIRECT, 1 << 20, 100);
        SstReader reader = SstReader.open(access, withFilter)) {
      counted.isBroken = true;
      assertThat(reader.mayHold(ABSENT)).isTrue();
      counted.isBroken = false;
      assertThat(reader.mayHold(ABSENT)).isFalse();
    }
  }

  private record Read(long position, int bytes) {}

  /** Counts what is read and opened. */
  private static final class CountedFiles extends ForwardingFileSystem {
    private final List<Read> reads = new ArrayList<>();
    private int opened;
    private boolean isBroken;

    CountedFiles(StoreFileSystem delegate) {
      super(delegate);
    }

    @Override
    public MappedRegion mapForRead(Path file, long size) {
      opened++;
      return super.mapForRead(file, size);
    }

    @Override
    public RandomReadFile openForDirectRead(Path file) {
      RandomReadFile read = super.openForDirectRead(file);
      opened++;
      return new RandomReadFile() {
        @Override
        public void readFully(ByteBuffer target, long position) {
          if (isBroken) {
            throw new StoreIoException(file, "read", new IOException("a bad sector"));
          }
          reads.add(new Read(position, target.remaining()));
          read.readFully(target, position);
        }

        @Override
        public long size() {
          return read.size();
        }

        @Override
        public void close() {
          read.close();
        }
      };
    }
  }
}
