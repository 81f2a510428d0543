package io.sifr.internal.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.sifr.config.StoreOptions;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.wal.Operations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A batch as bytes: written by {@link Operations.Writer}, read by {@link Operations.Reader}. */
class OperationsTest {
  @TempDir Path directory;
  private StoreEngine engine;
  private DatabaseHandle one;
  private DatabaseHandle two;

  @BeforeEach
  void open() {
    engine = TestEngines.open(directory, StoreOptions.DEFAULT);
    one = engine.database("default");
    two = engine.openOrCreateDatabase("two");
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static String drawn(Operations.Reader reader) {
    int key = Arrays.hashCode(slice(reader, reader.keyOffset(), reader.keyLength()));
    int value = Arrays.hashCode(slice(reader, reader.valueOffset(), reader.valueLength()));
    return reader.databaseId()
        + " "
        + EntryKinds.STANDARD.ofCode(reader.kind())
        + " "
        + key
        + " "
        + value;
  }

  private static byte[] slice(Operations.Reader reader, int offset, int length) {
    return Arrays.copyOfRange(reader.array(), offset, offset + length);
  }

  @Test
  void whatWasAddedIsReadInOrderWithItsFootprint() {
    BatchBuffer batch = new BatchBuffer();
    List<String> expected = new ArrayList<>();
    long rawBytes = 0;
    long footprint = 0;
    for (int i = 0; i < 300; i++) {
      byte[] key = random(i % 7 == 0 ? 0 : i, i);
      byte[] value = i % 3 == 0 ? new byte[0] : random(i == 50 ? 3 << 20 : 2 * i, -i);
      DatabaseHandle database = i % 2 == 0 ? one : two;
      boolean asBuffers = i % 5 == 0;
      if (i % 3 == 0 && asBuffers) {
        batch.delete(database, Unpooled.wrappedBuffer(key));
      } else if (i % 3 == 0) {
        batch.delete(database, key);
      } else if (asBuffers) {
        batch.put(database, Unpooled.copiedBuffer(key), Unpooled.wrappedBuffer(value));
      } else {
        batch.put(database, key, value);
      }
      rawBytes += key.length + value.length;
      footprint += database == one ? Memtable.footprint(key.length, value.length) : 0;
      EntryKind kind = i % 3 == 0 ? EntryKind.DELETE : EntryKind.PUT;
      expected.add(
          database.id() + " " + kind + " " + Arrays.hashCode(key) + " " + Arrays.hashCode(value));
    }
    assertThat(batch.operations().count()).isEqualTo(300);
    assertThat(batch.operations().rawBytes()).isEqualTo(rawBytes);
    assertThat(batch.databaseCount()).isEqualTo(2);
    assertThat(batch.database(1)).isSameAs(two);
    assertThat(batch.databaseWithId(one.id())).isSameAs(one);
    assertThat(batch.footprint(0)).isEqualTo(footprint);
    Operations.Reader reader = new Operations.Reader();
    reader.reset(batch.operations().array(), 0, batch.operations().length());
    List<String> read = new ArrayList<>();
    while (reader.next()) {
      read.add(drawn(reader));
    }
    assertThat(read).isEqualTo(expected);
    batch.clear();
    assertThat(batch.operations().count() + batch.operations().length() + batch.databaseCount())
        .isZero();
    assertThat(batch.operations().array().length).isLessThanOrEqualTo(1 << 20);
  }

  @Test
  void aRefusedOperationLeavesTheBatchAsItWas() {
    BatchBuffer batch = new BatchBuffer();
    batch.put(one, new byte[3], new byte[4]);
    int length = batch.operations().length();
    byte[] tooLong = new byte[EntryLimits.MAX_KEY_BYTES + 1];
    assertThatThrownBy(() -> batch.put(one, tooLong, new byte[4]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> batch.delete(two, tooLong))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(batch.operations().length()).isEqualTo(length);
    assertThat(batch.operations().count()).isEqualTo(1);
    assertThat(batch.databaseCount()).isEqualTo(1);
    assertThat(batch.operations().rawBytes()).isEqualTo(7);
  }

  @Test
  void anEmptyRangeIsNotWritten() {
    BatchBuffer batch = new BatchBuffer();
    batch.deleteRange(one, new byte[] {2}, new byte[] {2});
    batch.deleteRange(one, new byte[] {2}, new byte[] {1});
    batch.deleteRange(one, null, new byte[0]);
    assertThat(batch.operations().count() + batch.databaseCount()).isZero();

    batch.deleteRange(one, null, null);
    batch.deleteRange(one, new byte[] {2}, new byte[] {2, 0});
    assertThat(batch.operations().count()).isEqualTo(2);
    assertThat(batch.operations().rawBytes()).isEqualTo(3);
    assertThat(batch.footprint(0)).isPositive();

    byte[] tooLong = new byte[EntryLimits.MAX_KEY_BYTES + 1];
    assertThatThrownBy(() -> batch.deleteRange(two, tooLong, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the range's from has 65537 bytes; allowed: up to 65536");
    assertThatThrownBy(() -> batch.deleteRange(two, null, tooLong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the range's to has 65537 bytes; allowed: up to 65536");
    assertThat(batch.operations().count()).isEqualTo(2);
    assertThat(batch.databaseCount()).isEqualTo(1);
  }

  /** The worked example of the format's description is what is written, and read. */
  @Test
  void theExampleIsWhatIsWritten() throws IOException {
    BatchBuffer batch = new BatchBuffer();
    batch.put(one, "apple".getBytes(US_ASCII), "a red one".getBytes(US_ASCII));
    batch.delete(two, "pear".getBytes(US_ASCII));
    batch.deleteRange(one, "fig".getBytes(US_ASCII), "kiwi".getBytes(US_ASCII));
    batch.deleteRange(two, "plum".getBytes(US_ASCII), null);
    String written =
        HexFormat.ofDelimiter(" ")
            .formatHex(Arrays.copyOf(batch.operations().array(), batch.operations().length()));
    assertThat(Files.readString(Path.of("..", "src-docs", "format", "wal.md")))
        .contains(
            "```operations\n"
                + written.replace(" 02 04", "\n02 04").replace(" 01 03", "\n01 03")
                + "\n```");
    assertThat(readAll(batch.operations().array(), 0, batch.operations().length())).isEqualTo(4);
  }

  private static int readAll(byte[] bytes, int offset, int length) {
    Operations.Reader reader = new Operations.Reader();
    reader.reset(bytes, offset, length);
    int count = 0;
    while (reader.next()) {
      if (reader.isRangeDelete()) {
        byte[] to = reader.rangeTo();
        assertThat(to == null || Arrays.compareUnsigned(reader.rangeFrom(), to) < 0).isTrue();
      } else {
        EntryKinds.STANDARD.requireLogged(reader.kind(), reader.valueLength());
      }
      assertThat(reader.keyOffset()).isGreaterThanOrEqualTo(offset);
      assertThat(reader.keyLength()).isBetween(0, EntryLimits.MAX_KEY_BYTES);
      assertThat(reader.keyOffset() + reader.keyLength()).isLessThanOrEqualTo(offset + length);
      assertThat(reader.valueOffset() + reader.valueLength()).isLessThanOrEqualTo(offset + length);
      count++;
    }
    return count;
  }

  @Test
  void theExampleOfAReferenceIsOne() throws IOException {
    String document = Files.readString(Path.of("..", "src-docs", "format", "wal.md"));
    String begin = "```operations\n01 06";
    int from = document.indexOf(begin);
    assertThat(from).isPositive();
    String hex = document.substring(from + 14, document.indexOf("```", from + 14));
    byte[] bytes = HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    Operations.Reader reader = new Operations.Reader();
    reader.reset(bytes, 0, bytes.length);
    assertThat(reader.next()).isTrue();
    EntryKinds.STANDARD.requireLogged(reader.kind(), reader.valueLength());
    assertThat(reader.kind()).isEqualTo(SeparatedKind.CODE);
    assertThat(reader.reference())
        .isEqualTo(new SeparatedKind.Reference(1_700_000_000_000L, 7, 0x60, 6, 6));
    assertThat(reader.next()).isFalse();
  }

  @Test
  void aReferenceHasOneLength() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EntryKinds.STANDARD.requireLogged(SeparatedKind.CODE, 31))
        .withMessage("an entry of kind 5 with a value of 31 bytes");
  }

  @Test
  void anyBytesAreOperationsOrRefused() {
    Random random = new Random(11);
    int refused = 0;
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      for (int at = 0; at < bytes.length; at++) {
        bytes[at] = (byte) (random.nextInt(3) == 0 ? random.nextInt(256) : random.nextInt(4));
      }
      int offset = random.nextInt(bytes.length + 1);
      try {
        assertThat(readAll(bytes, offset, bytes.length - offset)).isLessThanOrEqualTo(bytes.length);
      } catch (IllegalArgumentException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(200, 9_800);
  }

  @Test
  void everyTruncationIsRefused() {
    BatchBuffer batch = new BatchBuffer();
    batch.put(one, random(200, 1), random(300, 2));
    for (int length = 1; length < batch.operations().length(); length++) {
      int shortened = length;
      assertThatThrownBy(() -> readAll(batch.operations().array(), 0, shortened))
          .describedAs("%d bytes", length)
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (String bad :
        new String[] {
          "ffffffff7f",
          "01",
          "0102",
          "0100ffffffff08",
          "0100818004",
          "010004",
          "01001141",
          "0101611261", // a range that is empty
          "01016222" + "61ff", // one that ends before it begins
          "010161" + "928040" + "62".repeat(65_537) // one with too long an end
        }) {
      byte[] bytes = HexFormat.of().parseHex(bad);
      assertThatThrownBy(() -> readAll(bytes, 0, bytes.length))
          .describedAs(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
