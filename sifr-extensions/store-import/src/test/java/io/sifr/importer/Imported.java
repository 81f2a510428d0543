package io.sifr.importer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What a run of a program has said.
 *
 * @param exitCode of it
 * @param output what it has printed
 * @param error what it has reported
 */
public record Imported(int exitCode, String output, String error) {
  /** Runs a program. */
  public static Imported run(BiFunction<Console, Cleanup, ImportCommand> program, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console = new Console(InputStream.nullInputStream(), out, err, TerminalTraits.NONE);
    int exitCode = program.apply(console, new Cleanup()).execute(args);
    return new Imported(exitCode, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** An empty database, or what one is expected to have. */
  public static SortedMap<byte[], byte[]> noEntries() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  /** Checks all entries of a database. */
  public static void assertHas(Store store, String database, SortedMap<byte[], byte[]> expected) {
    try (Cursor cursor = store.database(database).cursor()) {
      expected.forEach(
          (key, value) -> {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.key()).isEqualTo(key);
            assertThat(cursor.value()).isEqualTo(value);
          });
      assertThat(cursor.next()).isFalse();
    }
  }

  /** The names of the files in a directory and what is in them. */
  public static SortedMap<String, String> files(Path directory) throws IOException {
    SortedMap<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.toList()) {
        files.put(file.getFileName().toString(), Arrays.toString(Files.readAllBytes(file)));
      }
    }
    return files;
  }
}
