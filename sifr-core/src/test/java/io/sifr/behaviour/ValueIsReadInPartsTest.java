package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.ValueReader;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.ForwardingFileSystem.ForwardingRandomReadFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A value is read in parts, or as a stream, and stays the same as long as it is open. */
class ValueIsReadInPartsTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final int BYTES = 300_007;

  @TempDir Path parent;
  private Path directory = Path.of("");
  private volatile Instant now = Instant.parse("2024-02-03T04:05:06Z");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private static byte[] value(long seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    Arrays.fill(value, length / 3, length / 2, (byte) 'x');
    return value;
  }

  private static StoreOptions options() {
    return StoreOptions.builder().keptLogBytes(0).build();
  }

  private Store open() {
    return Store.builder(directory).options(options()).clock((InstantSource) () -> now).open();
  }

  private static DatabaseOptions apart(Compression compression) {
    return DatabaseOptions.builder().separateValuesFrom(1000).compression(compression).build();
  }

  private static ValueReader reader(Database database) {
    return Objects.requireNonNull(database.valueReader(KEY, ReadOptions.DEFAULT));
  }

  private static void check(ValueReader reader, byte[] value) throws IOException {
    assertThat(reader.length()).isEqualTo(value.length);
    Random random = new Random(1);
    for (int i = 0; i < 100; i++) {
      int from = random.nextInt(value.length + 1);
      int count = random.nextInt(Math.min(50_000, value.length - from) + 1);
      byte[] target = new byte[count + 2];
      reader.read(from, target, 1, count);
      assertThat(Arrays.copyOfRange(target, 1, 1 + count))
          .isEqualTo(Arrays.copyOfRange(value, from, from + count));
      assertThat(target[0] | target[count + 1]).isZero();
    }
    try (InputStream stream = reader.stream()) {
      assertThat(stream.available()).isEqualTo(value.length);
      assertThat(stream.readAllBytes()).isEqualTo(value);
      assertThat(stream.read()).isEqualTo(-1);
    }
    InputStream stream = reader.stream();
    assertThat(stream.skip(value.length / 2)).isEqualTo(value.length / 2);
    assertThat(stream.readAllBytes())
        .isEqualTo(Arrays.copyOfRange(value, value.length / 2, value.length));
  }

  private static void check(Database database, byte[] value) {
    Random random = new Random(2);
    for (int i = 0; i < 100; i++) {
      int from = random.nextInt(value.length + 10);
      int length = random.nextInt(50_000);
      byte[] target = new byte[length + 1];
      int begin = Math.min(from, value.length);
      byte[] expected = Arrays.copyOfRange(value, begin, Math.min(value.length, begin + length));
      assertThat(database.read(KEY, from, length, target)).isEqualTo(expected.length);
      assertThat(target).isEqualTo(Arrays.copyOf(expected, length + 1));

      ByteBuffer buffer = ByteBuffer.allocateDirect(length + 2).position(1);
      assertThat(database.byteBuffers().read(ByteBuffer.wrap(KEY), from, length, buffer))
          .isEqualTo(expected.length);
      assertThat(buffer.flip().position(1)).isEqualTo(ByteBuffer.wrap(expected));

      ByteBuf growing = Unpooled.buffer(8).writeByte(1);
      assertThat(database.byteBufs().read(Unpooled.wrappedBuffer(KEY), from, length, growing))
          .isEqualTo(expected.length);
      assertThat(growing.skipBytes(1)).isEqualTo(Unpooled.wrappedBuffer(expected));
    }
    assertThat(database.read(KEY, Integer.MAX_VALUE, 1, new byte[1])).isZero();
    assertThat(database.read(KEY, 0, 0, new byte[0])).isZero();
    assertThat(database.read("none".getBytes(UTF_8), 0, 1, new byte[1])).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void inOneCall(Compression compression) {
    byte[] value = value(1, BYTES);
    byte[] small = value(2, 900);
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart(compression));
      for (byte[] each : List.of(value, small)) {
        database.put(KEY, each);
        check(database, each);
        store.flush();
        check(database, each);
      }
      try (Snapshot snapshot = store.snapshot()) {
        database.delete(KEY);
        byte[] target = new byte[small.length];
        ReadOptions then = ReadOptions.at(snapshot);
        assertThat(database.read(KEY, 0, target.length, target, then)).isEqualTo(target.length);
        assertThat(target).isEqualTo(small);
        assertThat(database.read(KEY, 0, target.length, target)).isEqualTo(-1);
      }
    }
  }

  @Test
  void aPartThatCannotBeIsRefused() {
    try (Store store = open()) {
      Database database = store.database();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.read(KEY, -1, 1, new byte[1]))
          .withMessage("a part from byte -1 on; allowed: from 0");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> database.read(KEY, 0, 2, new byte[1]))
          .withMessage("2 bytes for a target with room for 1; allowed: 0 to that");
      assertThatIllegalArgumentException().isThrownBy(() -> database.read(KEY, 0, -1, new byte[1]));
    }
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void ofValuesThatAreApart(Compression compression) throws IOException {
    byte[] value = value(1, BYTES);
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart(compression));
      database.put(KEY, value);
      try (ValueReader inMemory = reader(database)) {
        check(inMemory, value);
        store.flush();
        check(inMemory, value);
      }
      try (ValueReader onDisk = reader(database)) {
        check(onDisk, value);
      }
      try (ValueReader ofBuffer =
          Objects.requireNonNull(
              database.byteBuffers().valueReader(ByteBuffer.wrap(KEY), ReadOptions.DEFAULT))) {
        check(ofBuffer, value);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"MMAP,NONE", "POSITIONAL,NONE", "MMAP,LZ4", "DIRECT,ZSTD"})
  void ofOtherValues(ReadMode mode, Compression compression) throws IOException {
    byte[] value = value(1, BYTES);
    StoreOptions options =
        StoreOptions.builder().keptLogBytes(0).readMode(mode).compression(compression).build();
    try (Store store = Store.open(directory, options)) {
      store.database().put(KEY, value);
      store.flush();
      try (ValueReader reader = reader(store.database())) {
        check(reader, value);
      }
    }
  }

  @Test
  void ofMergedValues() throws IOException {
    byte[] value = value(1, BYTES);
    DatabaseOptions options =
        apart(Compression.NONE).toBuilder().mergeOperator(MergeOperators.APPEND).build();
    try (Store store = open()) {
      Database database = store.createDatabase("apart", options);
      database.put(KEY, Arrays.copyOf(value, 200_000));
      store.flush();
      database.merge(KEY, Arrays.copyOfRange(value, 200_000, BYTES));
      try (ValueReader reader = reader(database)) {
        check(reader, value);
      }
    }
  }

  @Test
  void itStaysTheSameWhateverIsWritten() throws IOException {
    byte[] value = value(1, BYTES);
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart(Compression.NONE));
      database.put(KEY, value);
      store.flush();
      try (Snapshot snapshot = store.snapshot();
          ValueReader reader = reader(database)) {
        database.put(KEY, value(2, 1234));
        database.compact();
        check(reader, value);
        snapshot.close();
        database.compact();
        check(reader, value);
      }
      database.put("other".getBytes(UTF_8), new byte[1]);
      database.compact();
      try (ValueReader reader = reader(database)) {
        check(reader, value(2, 1234));
      }
    }
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.filter(file -> file.toString().endsWith(".values"))).hasSize(1);
    }
  }

  @Test
  void atASnapshot() throws IOException {
    byte[] value = value(1, BYTES);
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart(Compression.NONE));
      database.put(KEY, value);
      Snapshot snapshot = store.snapshot();
      database.delete(KEY);
      database.compact();
      assertThat(database.valueReader(KEY, ReadOptions.DEFAULT)).isNull();
      ValueReader reader =
          Objects.requireNonNull(database.valueReader(KEY, ReadOptions.at(snapshot)));
      check(reader, value);
      reader.close();
      assertThat(database.get(KEY, ReadOptions.at(snapshot))).isEqualTo(value);
      snapshot.close();
      assertThatIllegalStateException()
          .isThrownBy(() -> database.valueReader(KEY, ReadOptions.at(snapshot)));
    }
  }

  @Test
  void whatIsNotThereIsRefused() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart(Compression.NONE));
      database.put(KEY, value(1, 5000), WriteOptions.expiringAfter(Duration.ofMinutes(1)));
      store.flush();
      ValueReader reader = reader(database);
      byte[] target = new byte[100];
      for (int[] wrong :
          new int[][] {{-1, 0, 1}, {4999, 0, 2}, {0, 0, -1}, {0, 99, 2}, {0, -1, 1}}) {
        assertThatIllegalArgumentException()
            .as(Arrays.toString(wrong))
            .isThrownBy(() -> reader.read(wrong[0], target, wrong[1], wrong[2]));
      }
      reader.read(5000, target, 100, 0);
      now = now.plusSeconds(61);
      assertThatIllegalStateException()
          .isThrownBy(() -> reader.read(0, target, 0, 1))
          .withMessage("the value of key \"key\" is gone: it has expired, or was dropped");
      assertThatThrownBy(() -> reader.stream().readAllBytes())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is gone");
      reader.close();
      reader.close();
      assertThatIllegalStateException().isThrownBy(() -> reader.read(0, target, 0, 1));
    }
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void aPartCostsAPart(Compression compression) {
    AtomicLong read = new AtomicLong();
    ForwardingFileSystem counting =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public RandomReadFile openForRead(Path file) {
            RandomReadFile opened = super.openForRead(file);
            return file.toString().endsWith(".values") ? new Counted(opened, read) : opened;
          }
        };
    StoreOptions byPosition =
        StoreOptions.builder().keptLogBytes(0).readMode(ReadMode.POSITIONAL).build();
    try (Store store = TestStores.open(directory, byPosition, counting)) {
      Database database = store.createDatabase("apart", apart(compression));
      database.put(KEY, value(1, 1 << 20));
      store.flush();
      try (ValueReader reader = reader(database)) {
        byte[] part = new byte[4096];
        reader.read(1 << 19, part, 0, part.length); // opens the file
        read.set(0);
        reader.read(600_000, part, 0, part.length);
        assertThat(read.get()).isBetween(1L, (1L << 20) / 20);
        read.set(0);
        assertThat(database.contains(KEY)).isTrue();
        assertThat(read.get()).isZero();
        assertThat(database.get(KEY)).hasSize(1 << 20);
        assertThat(read.get()).isBetween(1L << 18, (1L << 20) + 2000);
      }
    }
  }

  /** Counts the bytes that are read. */
  private static final class Counted extends ForwardingRandomReadFile {
    private final AtomicLong bytes;

    Counted(RandomReadFile file, AtomicLong bytes) {
      super(file);
      this.bytes = bytes;
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      bytes.addAndGet(target.remaining());
      super.readFully(target, position);
    }
  }
}
