package io.sifr.leveldb.importer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.importer.SourceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DamagedSourceTest {
  private static final SourceOptions STRICT = new SourceOptions(false, false, 1 << 20);
  private static final SourceOptions UNTIL_DAMAGE = new SourceOptions(false, true, 1 << 20);
  private static final int BLOCK = 1 << 15;
  private static final int HEADER = 7;

  private Path source;
  private Path log;
  private byte[] bytes;

  @TempDir Path directory;

  @BeforeEach
  void copy() throws IOException {
    source = Golden.copy("cpp", directory.resolve("source"));
    log = Golden.file(source, ".log");
    bytes = Files.readAllBytes(log);
  }

  private List<String> read(SourceOptions options) throws IOException {
    return Golden.read(source, options, directory);
  }

  /** Where the records of the log begin, and where they end; all are in its first block. */
  private List<Integer> records() {
    assertThat(bytes.length).isLessThan(BLOCK);
    List<Integer> begins = new ArrayList<>();
    for (int at = 0; at < bytes.length; ) {
      begins.add(at);
      at += HEADER + (bytes[at + 4] & 0xff) + (bytes[at + 5] & 0xff) * 256;
    }
    begins.add(bytes.length);
    return begins;
  }

  @Test
  void aLogThatEndsAnywhereHasWhatWasWrittenBefore() throws IOException {
    List<Integer> records = records();
    List<String> before = List.of();
    for (int length = 0; length <= bytes.length; length++) {
      if (length % 100 > 2 && !records.contains(length) && !records.contains(length + 1)) {
        continue; // begins, ends, and some between
      }
      Files.write(log, Arrays.copyOf(bytes, length));
      List<String> entries = read(STRICT);
      if (!records.contains(length)) {
        assertThat(entries).as("cut at %d", length).isEqualTo(before);
      }
      before = entries;
    }
    assertThat(before).isEqualTo(Golden.expected());
  }

  /** A process that is killed leaves them where the file was made longer in advance. */
  @Test
  void zerosAfterTheLastRecordAreItsEnd() throws IOException {
    for (int zeros : new int[] {1, 6, 7, 8, 1000, BLOCK - bytes.length, BLOCK, 3 * BLOCK}) {
      Files.write(log, Arrays.copyOf(bytes, bytes.length + zeros));
      assertThat(read(STRICT)).as("%d zeros", zeros).isEqualTo(Golden.expected());
    }
    byte[] more = Arrays.copyOf(bytes, bytes.length + 2 * BLOCK);
    more[more.length - 1] = 1;
    Files.write(log, more);
    assertThatThrownBy(() -> read(STRICT))
        .isInstanceOf(SourceException.class)
        .hasMessage(
            "%s is damaged at offset %d: zeros, and at offset %d other bytes",
            log, bytes.length, more.length - 1);
  }

  /** A length that goes beyond the file looks like a record that was not finished. */
  @Test
  void aWrongLengthIsNoEndWithinARecord() throws IOException {
    List<Integer> records = records();
    for (int i = 0; i < records.size() - 1; i += i < records.size() - 10 ? 7 : 1) {
      int record = records.get(i);
      for (int bit = 0; bit < 16; bit++) {
        byte[] damaged = bytes.clone();
        damaged[record + 4 + bit / 8] ^= (byte) (1 << (bit % 8));
        Files.write(log, damaged);
        assertThatThrownBy(() -> read(STRICT))
            .as("record at %d, bit %d", record, bit)
            .isInstanceOf(SourceException.class)
            .hasMessageStartingWith(log + " is damaged at offset " + record + ": ");
      }
    }
  }

  @Test
  void aDamagedLogCanBeReadUntilTheDamage() throws IOException {
    int record = records().get(20);
    Files.write(log, Arrays.copyOf(bytes, record));
    List<String> before = read(STRICT);
    byte[] damaged = bytes.clone();
    damaged[record + HEADER + 3] ^= (byte) 4;
    Files.write(log, damaged);
    assertThatThrownBy(() -> read(STRICT))
        .hasMessage(log + " is damaged at offset " + record + ": the checksum does not match");
    assertThat(read(UNTIL_DAMAGE)).isEqualTo(before);

    Imported imported = Imported.of(source, directory.resolve("target"), "--until-damage");
    assertThat(imported.exitCode()).isZero();
    assertThat(imported.error()).contains("is missing: " + log + " is damaged at offset " + record);
  }

  @Test
  void aLogIsNotLeftUnfinishedWhereALaterOneHasEntries() throws IOException {
    Path later = log.resolveSibling("000099.log");
    Files.write(log, Arrays.copyOf(bytes, bytes.length - 1));
    Files.write(later, new byte[0]);
    int before = read(STRICT).size();
    assertThat(before).isPositive();
    Files.write(later, bytes);
    assertThatThrownBy(() -> read(STRICT))
        .hasMessageContaining("it ends within a record, and a later log has entries");
  }

  @Test
  void whatTheManifestNamesHasToBeThere() throws IOException {
    Files.move(log, log.resolveSibling("other"));
    assertThatThrownBy(() -> read(STRICT)).hasMessageContaining("names the log of the number 8,");
    Files.move(log.resolveSibling("other"), log);
    Path table = Golden.file(source, ".ldb");
    Files.move(table, table.resolveSibling("000005.sst"));
    assertThat(read(STRICT)).isEqualTo(Golden.expected());
    Files.delete(table.resolveSibling("000005.sst"));
    assertThatThrownBy(() -> read(STRICT)).hasMessageContaining("the table 000005 is not there");
  }

  @Test
  void aTableThatWasCutOffIsDamaged() throws IOException {
    Path table = Golden.file(source, ".ldb");
    byte[] whole = Files.readAllBytes(table);
    for (int length = 0; length < whole.length; length += 7) {
      Files.write(table, Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> read(STRICT))
          .as("cut at %d", length)
          .isInstanceOf(SourceException.class)
          .hasMessageStartingWith(table + " is damaged at offset ");
    }
  }

  /** Of another table, in which nothing is damaged. */
  @Test
  void aTableIsTheOneThatTheManifestKnows() throws IOException {
    Path table = Golden.file(source, ".ldb");
    Path other = Golden.copy("rusty-leveldb", directory.resolve("other"));
    Files.write(table, Files.readAllBytes(other.resolve("000026.ldb")));
    assertThatThrownBy(() -> read(STRICT))
        .hasMessageContaining("entry is another one than the MANIFEST says");
  }

  /**
   * Of each byte of each file one bit: an error, or the right entries. With {@code
   * -Dsifr.leveldb.bits=8} each of its bits.
   */
  @ParameterizedTest
  @MethodSource("io.sifr.leveldb.importer.Golden#names")
  @Tag("damage")
  void oneBitIsNeverSilentlyWrong(String name) throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    int bits = Integer.getInteger("sifr.leveldb.bits", 1);
    Path golden = Golden.copy(name, directory.resolve("golden"));
    List<String> expected = Golden.expected();
    int refused = 0;
    try (Stream<Path> files = Files.list(golden)) {
      for (Path file : files.toList()) {
        for (long at = 0; at < Files.size(file); at++) {
          int first = random.nextInt(Byte.SIZE);
          for (int bit = first; bit < first + bits; bit++) {
            Bits.flip(file, at, bit % Byte.SIZE);
            try {
              assertThat(Golden.read(golden, STRICT, directory))
                  .as("%s byte %d bit %d", file, at, bit % Byte.SIZE)
                  .isEqualTo(expected);
            } catch (SourceException e) {
              refused++;
            }
            Bits.flip(file, at, bit % Byte.SIZE);
          }
        }
      }
    }
    assertThat(refused).isPositive();
  }
}
