package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.ReadMode;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.resources.SharedMemory;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.SstInspection;
import io.sifr.internal.sst.write.SstWriter;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import io.sifr.testing.Padded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Writes, damages and reads SSTs in memory. */
public final class SstFixture implements AutoCloseable {
  /** Little enough that blocks are driven out. */
  private static final int CACHE_BYTES = 128 << 10;

  public static final Path DIRECTORY = Path.of("store");
  public static final long NUMBER = 7;

  /** When its entries were written. */
  public static final long LAST_WRITE = 1_700_000_000_000L;

  public static final long UNIQUE_ID = 0x0123456789ABCDEFL;

  public final InMemoryFileSystem fs = new InMemoryFileSystem();
  public final SstAccess access;
  private final long memoryBefore = BlockMemory.bytesInUse();

  /** A fixture whose SSTs are read through mappings. */
  public SstFixture() {
    this(ReadMode.MMAP);
  }

  public SstFixture(ReadMode mode) {
    this(mode, Codecs.NONE);
  }

  public SstFixture(ReadMode mode, BlockCodec codec) {
    this(mode, TestCodecs.writing(codec), CACHE_BYTES);
  }

  public SstFixture(ReadMode mode, BlockCodecs codecs, long cacheBytes) {
    access =
        new SstAccess(
            EntryKinds.STANDARD,
            new ValueFiles(fs, DIRECTORY, codecs::withId),
            codecs,
            mode,
            new SstAccess.Memory(SharedMemory.ofCache(cacheBytes).join(), 0),
            new SstAccess.OpenFiles(100, Runnable::run));
  }

  /** Nothing that was opened may be open any more. */
  @Override
  public void close() {
    access.close();
    assertThat(BlockMemory.bytesInUse()).as("bytes of blocks in use").isEqualTo(memoryBefore);
  }

  public static Entry put(String key, long sequence, String value) {
    return Entry.of(ascii(key), sequence, EntryKind.PUT, ascii(value));
  }

  public static Entry delete(String key, long sequence) {
    return Entry.of(ascii(key), sequence, EntryKind.DELETE, Bytes.EMPTY);
  }

  public static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  public SstMeta write(List<Entry> entries) {
    return write(entries, NUMBER, UNIQUE_ID);
  }

  public SstMeta write(List<Entry> entries, long number, long uniqueId) {
    return write(entries, number, uniqueId, 0);
  }

  /** Writes an SST with a filter, unless {@code filterBits} is 0. */
  public SstMeta write(List<Entry> entries, long number, long uniqueId, int filterBits) {
    return write(entries, null, number, uniqueId, filterBits);
  }

  /** Writes an SST with range tombstones, unless they are null. */
  public SstMeta write(List<Entry> entries, @Nullable RangeTombstones ranges) {
    return write(entries, ranges, NUMBER, UNIQUE_ID, 0);
  }

  private SstMeta write(
      List<Entry> entries,
      @Nullable RangeTombstones ranges,
      long number,
      long uniqueId,
      int filterBits) {
    byte[] staging = SstWriter.newStaging();
    KeyHash.Buffer hashes = filterBits == 0 ? null : new KeyHash.Buffer(filterBits);
    try (SstWriter writer =
        new SstWriter(access, number, uniqueId, 0, access.codecs().written(), staging, hashes)) {
      ListEntryIterator source = new ListEntryIterator(entries);
      for (boolean more = source.seekToFirst(); more; more = source.next()) {
        writer.add(source);
      }
      return writer.finish(ranges, LAST_WRITE);
    }
  }

  public SstReader open(SstMeta meta) {
    return SstReader.open(access, meta);
  }

  /** What a file tells of itself. */
  public SstMeta readMeta(long number) {
    try (SstReader reader = SstReader.open(access, number)) {
      return reader.meta();
    }
  }

  /** A block, and the entries in it. */
  public record Block(BlockInfo info, List<Entry> entries) {}

  /** The blocks of an SST as tools see them. */
  public List<Block> blocks(SstMeta meta) {
    List<Block> blocks = new ArrayList<>();
    try (SstReader reader = open(meta)) {
      SstInspection.visit(
          reader,
          new SstInspection.Visitor() {
            @Override
            public void block(BlockInfo block) {
              blocks.add(new Block(block, new ArrayList<>()));
            }

            @Override
            public void entry(long offset, int bytes, EntryIterator at) {
              blocks.get(blocks.size() - 1).entries().add(Entry.at(at));
            }
          });
    }
    return blocks;
  }

  /** The same without the entries. */
  public List<BlockInfo> blockInfos(SstMeta meta) {
    return blocks(meta).stream().map(Block::info).toList();
  }

  public static Path path(SstMeta meta) {
    return FileKind.SST.path(DIRECTORY, meta.number());
  }

  /** Computes the checksum of a block anew. */
  public static void resealBlock(byte[] file, int offset, int bytes, long uniqueId) {
    resealPiece(file, offset, bytes - Integer.BYTES, uniqueId);
  }

  /** Computes the checksums of an index of one part, its top, the properties and footer anew. */
  public static void resealTail(byte[] file, long uniqueId) {
    int footer = file.length - Footer.BYTES;
    int parts = (int) Bytes.getLong(file, footer);
    int top = (int) Bytes.getLong(file, footer + 8);
    int properties = top + Bytes.getInt(file, footer + 16);
    int propertiesBytes = Bytes.getInt(file, footer + 20);
    resealBlock(file, parts, top - parts, uniqueId);
    resealBlock(file, top, properties - top, uniqueId);
    resealBlock(file, properties, propertiesBytes, uniqueId);
    resealPiece(file, footer, Footer.BYTES - Integer.BYTES, uniqueId);
  }

  /** Computes the checksum anew that stands after a piece of the file. */
  public static void resealPiece(byte[] file, int offset, int length, long uniqueId) {
    int crc = Checksums.bind(Checksums.crc32c(file, offset, length), uniqueId, offset);
    Bytes.putInt(file, offset + length, crc);
  }

  /** Reads all entries, and closes the iterator. */
  public static List<Entry> readForwards(ForwardIterator iterator) {
    List<Entry> read = new ArrayList<>();
    try (iterator) {
      for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
        read.add(Entry.at(iterator));
      }
    }
    return read;
  }

  /** Reads all entries, and closes the iterator. */
  public static List<Entry> readBackwards(EntryIterator iterator) {
    List<Entry> read = new ArrayList<>();
    try (iterator) {
      for (boolean more = iterator.seekToLast(); more; more = iterator.previous()) {
        read.add(0, Entry.at(iterator));
      }
    }
    return read;
  }

  /** What a get finds, or null. */
  public static @Nullable Entry get(SstReader reader, byte[] key, long sequence) {
    Lookup lookup = new Lookup();
    byte[] shifted = new byte[key.length + 5];
    System.arraycopy(key, 0, shifted, 2, key.length);
    if (!get(reader, shifted, 2, key.length, sequence, lookup)) {
      return null;
    }
    byte[] value = new byte[lookup.length()];
    lookup.copyTo(value, 0);
    lookup.release();
    return Entry.of(
        key,
        Trailer.sequence(lookup.trailer()),
        lookup.isTombstone() ? EntryKind.DELETE : EntryKind.PUT,
        value);
  }

  /** Reads the first and the last part of the index, as far as they are not in memory. */
  public static void loadIndex(SstReader reader) {
    SstMeta meta = reader.meta();
    assertThat(reader.shareBetween(meta.smallestKey(), meta.largestKey())).isEqualTo(1);
  }

  /** What a get does in one SST. */
  public static boolean get(
      SstReader reader, byte[] key, int offset, int length, long sequence, Lookup into) {
    long block = reader.find(key, offset, length, sequence);
    return reader.getFrom(block, key, offset, length, sequence, into);
  }

  /** What a get has to find in a sorted list, or null. */
  static @Nullable Entry expected(List<Entry> entries, byte[] key, long sequence) {
    return entries.stream()
        .filter(e -> Arrays.equals(e.key(), key) && e.sequence() <= sequence)
        .findFirst()
        .orElse(null);
  }

  /** How keys and values of drawn entries look. */
  public enum Shape {
    /** Very short keys over two letters, the empty one too: many versions, proper prefixes. */
    TINY,
    /** Numbers after a common prefix, values of up to 200 bytes. */
    NUMBERS,
    /** Any bytes, zeros and 0xFF often, of any length up to 30. */
    BINARY,
    /** Files in directories, some of one file: blocks of several groups. Small values. */
    PATHS,
    /** Long common prefixes of different lengths: lengths that need two and three bytes. */
    LONG_PREFIXES,
    /** Values around one page and more. */
    PAGES,
    /** Values around the length from which one has a block to itself. */
    HUGE
  }

  /** Draws entries in internal order; sequence numbers are unique. */
  public static List<Entry> draw(Random random, Shape shape, int count) {
    long range = 1L << (4 + random.nextInt(51));
    TreeSet<Entry> entries = new TreeSet<>();
    TreeSet<Long> sequences = new TreeSet<>();
    byte[] key = drawKey(random, shape);
    int oneKey = random.nextInt(100);
    while (entries.size() < count) {
      if (random.nextInt(100) >= oneKey) {
        key = drawKey(random, shape);
      }
      long sequence = Math.floorMod(random.nextLong(), Math.max(range, 4L * count));
      if (sequences.add(sequence)) {
        boolean delete = random.nextInt(5) == 0;
        byte[] value = new byte[delete ? 0 : drawLength(random, shape)];
        random.nextBytes(value);
        if (sequence % 2 == 0) {
          Arrays.fill(value, value.length / 3, value.length, (byte) 'v'); // to be encoded
        }
        entries.add(Entry.of(key, sequence, delete ? EntryKind.DELETE : EntryKind.PUT, value));
      }
    }
    return List.copyOf(entries);
  }

  public static byte[] drawKey(Random random, Shape shape) {
    return switch (shape) {
      case TINY -> {
        byte[] key = new byte[random.nextInt(4)];
        for (int i = 0; i < key.length; i++) {
          key[i] = (byte) ('a' + random.nextInt(2));
        }
        yield key;
      }
      case NUMBERS, PAGES, HUGE ->
          ascii("user" + Padded.number(random.nextInt(5000) * 1_000_000_007L, 19));
      case BINARY -> {
        byte[] key = new byte[random.nextInt(30)];
        for (int i = 0; i < key.length; i++) {
          int kind = random.nextInt(4);
          key[i] = (byte) (kind == 0 ? 0 : kind == 1 ? 0xFF : random.nextInt(256));
        }
        yield key;
      }
      case PATHS -> {
        int directory = random.nextInt(1 << random.nextInt(8));
        String name = Padded.number(directory * 1_000_000_007L % 100_000, 5);
        int rest = random.nextInt(directory % 4 == 0 ? 2 : 1000);
        yield ascii("/home/" + name + "/a directory of some name/" + name + "/" + rest);
      }
      case LONG_PREFIXES -> {
        int[] lengths = {10, 62, 63, 64, 65, 127, 128, 129, 300, 9000};
        ByteBuffer key = ByteBuffer.allocate(10_000);
        for (int part = random.nextInt(3); part >= 0; part--) {
          int length = lengths[random.nextInt(lengths.length)];
          for (int i = 0; i < length && key.remaining() > 8; i++) {
            key.put((byte) 'p');
          }
          key.put((byte) ('a' + random.nextInt(26)));
        }
        byte[] bytes = new byte[key.position()];
        key.flip().get(bytes);
        yield bytes;
      }
    };
  }

  private static int drawLength(Random random, Shape shape) {
    return switch (shape) {
      case TINY -> random.nextInt(60);
      case PATHS -> random.nextInt(20);
      case NUMBERS, BINARY, LONG_PREFIXES -> 1 + random.nextInt(200);
      case PAGES -> random.nextInt(3) == 0 ? random.nextInt(12_000) : 4000 + random.nextInt(200);
      case HUGE -> random.nextInt(3) == 0 ? 60_000 + random.nextInt(8000) : random.nextInt(300);
    };
  }
}
