package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.check.TestChecks;
import io.sifr.inspect.dump.TestDumps;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Padded;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a user sees of compression: less space, and nothing else. */
class CompressedStoreTest {
  private static final int KEYS = 10_000;

  /** Drawn once: to draw them each time would take longer than to store and read them. */
  private static final List<byte[]> VALUES =
      IntStream.range(0, KEYS).mapToObj(CompressedStoreTest::words).toList();

  @TempDir Path directory;

  private static StoreOptions.Builder options(Compression compression) {
    return StoreOptions.builder()
        .compression(compression)
        .writeBufferBytes(512 << 10)
        .splitUnitBytes(128 << 10);
  }

  private Store open(StoreOptions options) {
    return TestStores.open(directory, options, DrawnStore.FILES);
  }

  private static byte[] key(int i) {
    return ("key" + Padded.number(i, 8)).getBytes(US_ASCII);
  }

  private static byte[] value(int i) {
    return VALUES.get(i);
  }

  /** Words; a third of what it takes is left by LZ4. */
  private static byte[] words(int i) {
    Random random = new Random(i);
    return Stream.generate(() -> "word%d ".formatted(random.nextInt(900)))
        .limit(5 + random.nextInt(20))
        .collect(Collectors.joining())
        .getBytes(US_ASCII);
  }

  private static void fill(Store store) {
    for (int i = 0; i < KEYS; i++) {
      int place = (int) (i * 7919L % KEYS);
      store.database().put(key(place), value(place));
    }
    store.flush();
    store.awaitIdle();
  }

  private long bytesOfSsts() throws IOException {
    long bytes = 0;
    for (Path sst : Directories.files(directory, FileKind.SST)) {
      bytes += Files.size(sst);
    }
    return bytes;
  }

  /** Blocks of all SSTs, by their codec. */
  private Map<String, Long> codecs() throws IOException {
    Stream<String> codecs = Stream.empty();
    for (Path sst : Directories.files(directory, FileKind.SST)) {
      codecs =
          Stream.concat(
              codecs,
              TestDumps.dump(sst).stream()
                  .filter(piece -> piece.kind().equals("block"))
                  .map(piece -> String.valueOf(piece.fields().get("codec"))));
    }
    return codecs.collect(groupingBy(codec -> codec, Collectors.counting()));
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void aDatabaseHasItsOwn(Compression ofStore) throws IOException {
    try (Store store = open(options(ofStore).build())) {
      store.alterDatabase(Store.DEFAULT_DATABASE, compressing(Compression.LZ4));
      fill(store);
    }
    // The last block of an SST may be so short that it is a page either way.
    assertThat(codecs()).containsKey("LZ4").doesNotContainKey("Zstandard");
    assertThat(codecs().getOrDefault("none", 0L))
        .isLessThanOrEqualTo(Directories.files(directory, FileKind.SST).size());
    // It is stored with the database, so it holds without any setting.
    try (Store store = open(options(Compression.NONE).build())) {
      assertThat(store.database().options().compression()).isEqualTo(Compression.LZ4);
      fill(store);
      store.database().compact();
      assertHoldsAll(store);
      Database other = store.createDatabase("other", compressing(Compression.ZSTD));
      for (int i = 0; i < 2000; i++) {
        other.put(key(i), value(i));
      }
      store.flush();
    }
    assertThat(codecs()).containsOnlyKeys("LZ4", "Zstandard");
    try (Store store = open(options(Compression.LZ4).build())) {
      store.dropDatabase("other");
      store.alterDatabase(Store.DEFAULT_DATABASE, compressing(Compression.NONE));
      fill(store);
      store.database().compact();
      assertHoldsAll(store);
    }
    assertThat(codecs()).containsOnlyKeys("none");
  }

  /** The setting is not stored, that of a database is: what was written is read either way. */
  @ParameterizedTest
  @EnumSource(Compression.class)
  void whatIsWrittenIsReadWithoutTheSetting(Compression chosen) throws IOException {
    try (Store store = open(options(chosen).build())) {
      fill(store);
      Database own = store.createDatabase("own", compressing(chosen));
      own.put(key(1), value(1));
    }
    assertThat(codecs()).containsKey(Codecs.of(chosen).title());
    try (Store store = open(StoreOptions.DEFAULT)) {
      assertHoldsAll(store);
      assertThat(store.database("own").options().compression()).isEqualTo(chosen);
      assertThat(store.database("own").get(key(1))).isEqualTo(value(1));
    }
  }

  private static DatabaseOptions compressing(Compression compression) {
    return DatabaseOptions.builder().compression(compression).build();
  }

  private static void assertHoldsAll(Store store) {
    for (int i = 0; i < KEYS; i += 13) {
      assertThat(store.database().get(key(i))).isEqualTo(value(i));
    }
    try (Cursor cursor = store.database().cursor()) {
      for (int i = 0; i < KEYS; i++) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(i));
        assertThat(cursor.value()).isEqualTo(value(i));
      }
      assertThat(cursor.next()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"LZ4, 65", "ZSTD, 48"})
  void textTakesLessSpace(Compression compression, int percent) throws IOException {
    long rawBytes;
    try (Store store = open(options(compression).build())) {
      fill(store);
      store.database().compact();
      StoreStatistics space = store.statistics();
      assertThat(space.get(Metric.LIVE_BYTES)).isEqualTo(bytesOfSsts());
      rawBytes = space.get(Metric.RAW_BYTES);
    }
    long content = 0;
    for (int i = 0; i < KEYS; i++) {
      content += key(i).length + value(i).length;
    }
    assertThat(rawBytes).isEqualTo(content);
    assertThat(bytesOfSsts()).isLessThan(content * percent / 100);
    assertThat(TestChecks.run(DrawnStore.FILES, directory).findings()).isEmpty();
  }

  /** What is there is read in its own form, and gets the new one when it is rewritten. */
  @ParameterizedTest
  @EnumSource
  void theSettingCanChangeAtAnyTime(Compression first) throws IOException {
    try (Store store = open(options(first).build())) {
      fill(store);
    }
    for (Compression next : Compression.values()) {
      try (Store store = open(options(next).build())) {
        assertHoldsAll(store);
        store.database().put(key(3), value(3));
        store.database().compact();
        assertHoldsAll(store);
      }
      String name = Codecs.of(next).title();
      Map<String, Long> codecs = codecs();
      long all = codecs.values().stream().mapToLong(count -> count).sum();
      // The last block of an SST may be too small to get smaller.
      assertThat(codecs.getOrDefault(name, 0L)).isGreaterThan(all * 9 / 10);
    }
  }

  /** One aligned read brings one block, however much is in it. */
  @ParameterizedTest
  @CsvSource({"LZ4, POSITIONAL", "LZ4, DIRECT", "ZSTD, POSITIONAL", "ZSTD, DIRECT"})
  void aGetReadsOnce(Compression compression, ReadMode mode) {
    CountedReads counted = new CountedReads(DrawnStore.FILES);
    StoreOptions options =
        options(compression).readMode(mode).blockCacheBytes(300 << 10).searchThreads(1).build();
    try (Store store = TestStores.open(directory, options, counted)) {
      fill(store);
      store.database().compact();
      int gets = 4000;
      Random random = new Random(1);
      for (int i = -1000; i < gets; i++) {
        if (i == 0) { // indexes are in memory now
          counted.reads.set(0);
          counted.largest.set(0);
        }
        int wanted = random.nextInt(KEYS);
        assertThat(store.database().get(key(wanted))).isEqualTo(value(wanted));
      }
      assertThat(counted.reads.get()).isBetween(gets / 4, gets * 102 / 100);
      assertThat(counted.largest.get()).as("bytes of a read").isLessThanOrEqualTo(4096);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "ZSTD"})
  void damageIsNoticed(Compression compression) throws IOException {
    try (Store store = open(options(compression).build())) {
      fill(store);
    }
    Path sst = Directories.files(directory, FileKind.SST).get(0);
    byte[] bytes = Files.readAllBytes(sst);
    bytes[5000] ^= 4;
    Files.write(sst, bytes);
    try (Store store = open(options(compression).build())) {
      assertThatThrownBy(() -> assertHoldsAll(store))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(sst.getFileName().toString());
    }
    assertThat(TestChecks.run(DrawnStore.FILES, directory).findings()).hasSize(1);
  }

  /** Runs without the library that Zstandard needs. */
  static final class WithoutTheLibrary {
    private WithoutTheLibrary() {}

    public static void main(String[] args) {
      Path written = Path.of(args[0]);
      StoreOptions options = StoreOptions.builder().compression(Compression.LZ4).build();
      try (Store store = Store.open(written.resolveSibling("other"), options)) {
        store.database().put(key(1), value(1));
        store.flush();
      }
      assertThatThrownBy(
              () ->
                  Store.open(
                      written.resolveSibling("third"),
                      StoreOptions.builder().compression(Compression.ZSTD).build()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("io.airlift:aircompressor");
      try (Store store = Store.open(written)) {
        assertThatThrownBy(() -> store.database().get(key(1)))
            .isInstanceOf(UnsupportedFormatException.class)
            .hasMessageContaining("io.airlift:aircompressor");
      }
      System.out.println("as expected");
    }
  }

  @Test
  @Tag("process")
  void withoutItsLibraryZstandardIsRefusedAndLz4Works() throws IOException, InterruptedException {
    Path written = directory.resolve("written");
    StoreOptions options = options(Compression.ZSTD).keptLogBytes(0).build();
    try (Store store = TestStores.open(written, options, new DiskFileSystem())) {
      fill(store);
    }
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("aircompressor"))
            .collect(Collectors.joining(File.pathSeparator));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath,
                WithoutTheLibrary.class.getName(),
                written.toString())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s", printed).isZero();
    assertThat(printed).contains("as expected");
  }

  private static final class CountedReads extends ForwardingFileSystem {
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger largest = new AtomicInteger();

    CountedReads(StoreFileSystem delegate) {
      super(delegate);
    }

    @Override
    public RandomReadFile openForRead(Path file) {
      return counted(super.openForRead(file));
    }

    @Override
    public RandomReadFile openForDirectRead(Path file) {
      return counted(super.openForDirectRead(file));
    }

    private RandomReadFile counted(RandomReadFile file) {
      return new RandomReadFile() {
        @Override
        public void readFully(ByteBuffer target, long position) {
          reads.incrementAndGet();
          largest.accumulateAndGet(target.remaining(), Math::max);
          file.readFully(target, position);
        }

        @Override
        public long size() {
          return file.size();
        }

        @Override
        public void close() {
          file.close();
        }
      };
    }
  }
}
