package io.sifr.leveldb.importer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GoldenTest {
  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource("io.sifr.leveldb.importer.Golden#names")
  void theEntriesOfEachWriterAreThere(String name) throws IOException {
    Path source = Golden.copy(name, directory.resolve("source"));
    Imported imported = Imported.of(source, directory.resolve("target"));
    assertThat(imported.error()).isEmpty();
    List<String> entries =
        imported.entries(HexFormat.of()).entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.toList());
    assertThat(entries).isEqualTo(Golden.expected());
  }

  @ParameterizedTest
  @MethodSource("io.sifr.leveldb.importer.Golden#names")
  void logsLargerThanMemoryAreSortedInRuns(String name) throws IOException {
    Path source = Golden.copy(name, directory.resolve("source"));
    assertThat(Golden.read(source, new SourceOptions(false, false, 500), directory))
        .isEqualTo(Golden.expected());
  }

  /** LZ4 takes the place of whatever the source has. */
  @Test
  void whatWasCompressedIsCompressed() throws IOException {
    Path zstd = Golden.copy("cpp-zstd", directory.resolve("zstd"));
    assertThat(Imported.of(zstd, directory.resolve("1")).output()).endsWith("compression: LZ4\n");
    Path none = Golden.copy("rusty-leveldb", directory.resolve("none"));
    assertThat(Imported.of(none, directory.resolve("2")).output()).endsWith("compression: NONE\n");
  }
}
