package io.sifr.internal.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.CatalogText;
import io.sifr.testing.RandomEdits;
import io.sifr.testing.SstMetas;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EditCodecTest {
  private static final Path FILE = Path.of("000000000001.manifest");
  private static final int FUZZ_ROUNDS = 10_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void decodesWhatItEncoded(long seed) {
    RandomEdits edits = new RandomEdits(new Random(seed));
    Catalog replayed = Catalog.EMPTY;
    for (int i = 0; i < 200; i++) {
      byte[] bytes = EditCodec.encode(edits.next());
      List<ForestEdit> decoded = decode(bytes);
      replayed = replayed.apply(decoded);

      assertThat(EditCodec.encode(decoded))
          .describedAs("seed %d group %d", seed, i)
          .isEqualTo(bytes);
      assertThat(CatalogText.of(replayed))
          .describedAs("seed %d group %d", seed, i)
          .isEqualTo(CatalogText.of(edits.catalog()));
    }
  }

  /** A kind that is missing in the table of the codec cannot be encoded. */
  @Test
  void everyKindOfEditIsEncoded() {
    Set<Class<?>> encoded = new HashSet<>();
    RandomEdits edits = new RandomEdits(new Random(5));
    for (int i = 0; i < 400; i++) {
      for (ForestEdit edit : decode(EditCodec.encode(edits.next()))) {
        encoded.add(edit.getClass());
      }
    }
    assertThat(encoded).isEqualTo(kinds(ForestEdit.class).collect(Collectors.toSet()));
  }

  private static Stream<Class<?>> kinds(Class<?> type) {
    return type.isInterface()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(EditCodecTest::kinds)
        : Stream.of(type);
  }

  /** Trees as they are clipped, and what remains of compactions. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void decodesSnapshots(long seed) {
    RandomEdits edits = new RandomEdits(new Random(seed));
    for (int i = 0; i < 100; i++) {
      edits.next();
      List<ForestEdit> decoded = decode(EditCodec.encode(CatalogEdits.of(edits.catalog())));
      assertThat(CatalogText.of(Catalog.EMPTY.apply(decoded)))
          .describedAs("seed %d group %d", seed, i)
          .isEqualTo(CatalogText.of(edits.catalog()));
    }
  }

  @Test
  void keepsTheLargestValues() {
    long number = 999_999_999_999_999_999L;
    byte[] longest = new byte[1 << 16];
    SstMeta meta =
        SstMetas.of(
            number,
            -1,
            1L << 40,
            1L << 40,
            1L << 40,
            1L << 40,
            Long.MAX_VALUE,
            0,
            0,
            Trailer.MAX_SEQUENCE,
            new byte[0],
            longest);
    List<ForestEdit> group =
        List.of(
            new ForestEdit.DatabaseCreated(Integer.MAX_VALUE, "\uD83C\uDF33"),
            new ForestEdit.TreeAdded(1, 64, number, List.of(new Sst(meta))),
            new ForestEdit.NumbersReserved(number + 1),
            new ForestEdit.SequencesReserved(Trailer.MAX_SEQUENCE + 1),
            new ForestEdit.TotalsReached(new Totals(Long.MAX_VALUE, 0, 0, 0, 0, 0)),
            new ForestEdit.DatabaseOptionsSet(1, DatabaseOptions.DEFAULT),
            new ForestEdit.DatabaseOptionsSet(
                2, DatabaseOptions.builder().mergeOperator("\uD83C\uDF33").build()),
            new ForestEdit.DatabaseOptionsSet(
                3, DatabaseOptions.builder().compression(Compression.ZSTD).build()));

    List<ForestEdit> decoded = decode(EditCodec.encode(group));

    assertThat(decoded.get(0)).isEqualTo(group.get(0));
    assertThat(decoded.subList(2, 8)).isEqualTo(group.subList(2, 8));
    ForestEdit.TreeAdded tree = (ForestEdit.TreeAdded) decoded.get(1);
    assertThat(tree.ssts().get(0).meta()).usingRecursiveComparison().isEqualTo(meta);
  }

  @Test
  void theLastKeyOfAllTakesLittle() {
    KeySpan span = new KeySpan(new byte[] {1}, EntryLimits.LAST_KEY);
    List<ForestEdit> group =
        List.of(new ForestEdit.CompactionProgressed(1, 2, span, List.of(), List.of()));
    byte[] bytes = EditCodec.encode(group);
    assertThat(bytes).hasSizeLessThan(20);
    KeySpan decoded = ((ForestEdit.CompactionProgressed) decode(bytes).get(0)).span();
    assertThat(decoded.last()).isEqualTo(EntryLimits.LAST_KEY);
  }

  @Test
  void refusesToEncodeWhatItWouldNotDecode() {
    assertNotEncoded(List.of());
    assertNotEncoded(List.of(new ForestEdit.DatabaseDropped(0)));
    assertNotEncoded(List.of(new ForestEdit.DatabaseCreated(1, "\uD83C")));
    assertNotEncoded(List.of(new ForestEdit.FlushedTo(1, Trailer.MAX_SEQUENCE + 1)));
    assertNotEncoded(List.of(new ForestEdit.NumbersReserved(-1)));
    assertNotEncoded(List.of(new ForestEdit.LogStart(1_000_000_000_000_000_000L)));
    assertNotEncoded(List.of(new ForestEdit.TotalsReached(new Totals(1, 1, 1, -1, 1, 1))));
    byte[] tooLong = new byte[(1 << 16) + 1];
    for (SstMeta wrong :
        List.of(
            SstMetas.of(
                1_000_000_000_000_000_000L, 0, 1, 1, 0, 0, 0, 0, 0, 0, new byte[0], new byte[0]),
            SstMetas.of(-1, 0, 1, 1, 0, 0, 0, 0, 0, 0, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 0, 1, 0, 0, 0, 0, 0, 0, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 0, 0, 0, 0, 0, 0, 0, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 2, 0, 0, 0, 0, 0, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, (1L << 40) + 1, 0, 0, 0, 0, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, 0, -1, 0, 0, 0, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, 0, 0, 0, 2, 1, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, 0, 0, -1, 0, 1, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, 0, 0, 2, 1, 1, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, 0, 0, 0, -1, 1, new byte[0], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, 0, 0, 0, 0, 0, new byte[1], new byte[0]),
            SstMetas.of(1, 0, 1, 1, 0, 0, 0, 0, 0, 0, new byte[0], tooLong))) {
      assertNotEncoded(List.of(new ForestEdit.TreeAdded(1, 1, 1, List.of(new Sst(wrong)))));
    }
  }

  private static void assertNotEncoded(List<ForestEdit> group) {
    assertThatThrownBy(() -> EditCodec.encode(group))
        .describedAs("%s", group)
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesKindsOfEditsItDoesNotKnow() {
    for (String tag : List.of("00", "15", "ff")) {
      assertThatThrownBy(() -> decode(HexFormat.of().parseHex("01" + tag + "0101")))
          .isInstanceOf(UnsupportedFormatException.class)
          .hasMessageContaining("edit of kind " + Integer.parseInt(tag, 16) + " at offset 8");
    }
  }

  @Test
  void refusesOptionsItDoesNotKnow() {
    // One edit of kind 15, of database 1, with one option, of tag 127 and without a value.
    assertThatThrownBy(() -> decode(HexFormat.of().parseHex("010f0401017f00")))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("option 127 of a database, in an edit at offset 8");
    // Twice the merge operator "a".
    assertThatThrownBy(() -> decode(HexFormat.of().parseHex("010f0a0102010201610102" + "0161")))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("option 1 follows option 1");
    // A merge operator without a name.
    assertThatThrownBy(() -> decode(HexFormat.of().parseHex("010f050101010100")))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the merge operator's name has 0 characters");
  }

  @Test
  void refusesBytesThatAreNoEdits() {
    for (String bytes :
        List.of(
            "", // nothing
            "00", // no edits
            "01", // no edit where one should be
            "02020101", // two edits promised, one there
            "0102", // an edit without a body
            "01020201", // a body shorter than promised
            "0102020101", // a body with one byte too many
            "0102010100", // a byte after the last edit
            "01020100", // database 0
            "01020580808080ff", // a database id beyond 31 bits
            "0106 0b ffffffffffffffffffff01".replace(" ", ""), // a number of eleven bytes
            "0106 0a 80808080808080808001".replace(" ", ""), // a negative number
            "0101 03 01 01 ff".replace(" ", ""), // a name that is not UTF-8
            "0101 03 01 7f 61".replace(" ", ""), // a name longer than its edit
            "0103 08 01 01 05 ffffffff07".replace(" ", ""), // 2^31 SSTs
            "ffffffff07 02 01 01".replace(" ", ""))) { // 2^31 edits
      assertThatThrownBy(() -> decode(HexFormat.of().parseHex(bytes)))
          .describedAs(bytes)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(FILE + " is damaged at offset 8");
    }
  }

  /** Any bytes are edits that can be encoded again, or are refused. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void acceptsOrRefusesAnyBytes(long seed) {
    Random random = new Random(seed);
    RandomEdits edits = new RandomEdits(random);
    byte[] whole = EditCodec.encode(edits.next());
    int accepted = 0;
    for (int round = 0; round < FUZZ_ROUNDS; round++) {
      if (round % 50 == 0) {
        whole = EditCodec.encode(edits.next());
      }
      byte[] bytes = damaged(whole, random);
      try {
        List<ForestEdit> decoded = decode(bytes);
        assertThat(decode(EditCodec.encode(decoded))).hasSameSizeAs(decoded);
        accepted++;
      } catch (CorruptionException | UnsupportedFormatException e) {
        assertThat(e).hasMessageContaining(FILE.toString());
      } catch (RuntimeException e) {
        throw new AssertionError(
            "seed " + seed + " round " + round + ": " + HexFormat.of().formatHex(bytes), e);
      }
    }
    assertThat(accepted).describedAs("seed %d", seed).isBetween(1, FUZZ_ROUNDS - 1);
  }

  private static byte[] damaged(byte[] whole, Random random) {
    byte[] bytes =
        Arrays.copyOf(
            whole, random.nextInt(4) == 0 ? random.nextInt(whole.length + 5) : whole.length);
    int changes = random.nextInt(4);
    for (int i = 0; i < changes && bytes.length > 0; i++) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    if (random.nextInt(8) == 0) {
      random.nextBytes(bytes);
    }
    return bytes;
  }

  private static List<ForestEdit> decode(byte[] bytes) {
    return EditCodec.decode(FILE, 8, ByteBuffer.wrap(bytes));
  }
}
