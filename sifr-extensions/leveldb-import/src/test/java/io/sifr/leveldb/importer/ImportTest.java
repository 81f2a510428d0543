package io.sifr.leveldb.importer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.cli.terminal.Units;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.impl.Iq80DBFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ImportTest {
  private final TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);

  @TempDir Path directory;

  private Path source() {
    return directory.resolve("source");
  }

  private Path target() {
    return directory.resolve("target");
  }

  private Imported importAll(String... options) {
    return Imported.of(source(), target(), options);
  }

  private void write(CompressionType compression) throws IOException {
    Random random = new Random(3);
    Options options = new Options().compressionType(compression).writeBufferSize(64 << 10);
    try (DB db = Iq80DBFactory.factory.open(source().toFile(), options)) {
      for (int i = 0; i < 20_000; i++) {
        byte[] key = ("key " + random.nextInt(5_000)).getBytes(UTF_8);
        if (random.nextInt(4) == 0) {
          db.delete(key);
          expected.remove(key);
        } else {
          byte[] value = ("value ".repeat(random.nextInt(20)) + i).getBytes(UTF_8);
          db.put(key, value);
          expected.put(key, value);
        }
      }
    }
  }

  private Map<String, String> files() throws IOException {
    Map<String, String> files = new HashMap<>();
    try (Stream<Path> all = Files.list(source())) {
      for (Path file : all.toList()) {
        files.put(file.getFileName().toString(), Arrays.toString(Files.readAllBytes(file)));
      }
    }
    return files;
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void allEntriesAreThereAndTheSourceIsAsItWas(CompressionType compression) throws IOException {
    write(compression);
    Map<String, String> before = files();
    assertThat(before.keySet()).anyMatch(name -> name.endsWith(".sst") || name.endsWith(".ldb"));

    Imported imported = importAll();
    assertThat(imported.error()).isEmpty();
    assertThat(imported.exitCode()).isZero();
    assertThat(imported.output()).startsWith("imported " + Units.entries(expected.size()));
    assertThat(files()).isEqualTo(before);
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactlyInAnyOrder(source(), target());
    }
    try (Store store = Store.open(target());
        Cursor cursor = store.database().cursor()) {
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(entry.getKey());
        assertThat(cursor.value()).isEqualTo(entry.getValue());
      }
      assertThat(cursor.next()).isFalse();
    }
  }

  /** LevelDB gives a new table the name of one that a crash left unfinished. */
  @Test
  void aTableThatWasNotFinishedStaysAsItIs() throws IOException {
    write(CompressionType.NONE);
    for (int number = 1; number < 500; number++) {
      Path table = source().resolve(String.format(Locale.ROOT, "%06d.sst", number));
      if (!Files.exists(table)) {
        Files.createFile(table);
      }
    }
    Map<String, String> before = files();
    assertThat(importAll().error()).isEmpty();
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void ofADamagedDirectoryNothingIsMade() throws IOException {
    write(CompressionType.NONE);
    try (Stream<Path> all = Files.list(source())) {
      for (Path table : all.filter(file -> file.toString().endsWith(".sst")).toList()) {
        byte[] bytes = Files.readAllBytes(table);
        if (bytes.length > 0) {
          bytes[bytes.length / 3] ^= 1;
          Files.write(table, bytes);
        }
      }
    }
    assertRefused("is damaged at offset");
  }

  @Test
  void whatIsNoLevelDbDirectoryIsRefused() throws IOException {
    Files.createDirectory(source());
    assertRefused("it is no LevelDB directory: it has no file CURRENT");
  }

  @Test
  void whatIsThereIsNotTouched() throws IOException {
    write(CompressionType.NONE);
    Files.writeString(target(), "mine");
    assertThat(importAll().exitCode()).isEqualTo(4);
    assertThat(target()).content().isEqualTo("mine");
  }

  @Test
  void theCommandLineIsChecked() {
    assertThat(Imported.run("one").exitCode()).isEqualTo(2);
    assertThat(Imported.run("one", "--two").exitCode()).isEqualTo(2);
    assertThat(Imported.run("one", "two", "--compression=SNAPPY").exitCode()).isEqualTo(2);
    assertThat(Imported.run("--help").output()).contains("Exit codes");
  }

  private void assertRefused(String message, String... options) throws IOException {
    Imported imported = importAll(options);
    assertThat(imported.error())
        .startsWith("sifr-import-leveldb: " + source() + " cannot be imported: ")
        .contains(message);
    assertThat(imported.exitCode()).isEqualTo(4);
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(source());
    }
  }
}
