package io.sifr.bench.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.Compression;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RocksDB writes down the options it runs with: the terms must be among them. */
class RocksSettingsTest {
  private static final Terms TERMS =
      new Terms(
          Durability.BUFFERED,
          3 << 20,
          5 << 20,
          true,
          true,
          SearchScheme.SERIAL,
          1,
          OptionalInt.empty(),
          Compression.NONE,
          Map.of());

  @TempDir Path directory;

  @Test
  void leveledCompactionKeepsTheTerms() throws IOException {
    Terms growing = TERMS.withGrowthFactor(OptionalInt.of(6));
    assertThat(optionsOf(StoreKind.ROCKSDB, growing))
        .contains("compaction_style=kCompactionStyleLevel")
        .contains("level_compaction_dynamic_level_bytes=true")
        .contains("max_bytes_for_level_multiplier=6.0")
        .contains("max_bytes_for_level_base=" + 4 * TERMS.writeBufferBytes())
        .contains("write_buffer_size=" + TERMS.writeBufferBytes())
        .contains("use_direct_reads=true")
        .contains("use_direct_io_for_flush_and_compaction=true")
        .contains("compression=kNoCompression")
        .contains("filter_policy=bloomfilter:10:false")
        .contains("no_block_cache=false");
  }

  @Test
  void universalCompactionKeepsTheTerms() throws IOException {
    assertThat(optionsOf(StoreKind.ROCKSDB_UNIVERSAL, TERMS))
        .contains("compaction_style=kCompactionStyleUniversal")
        .contains("write_buffer_size=" + TERMS.writeBufferBytes())
        .contains("use_direct_reads=true")
        .contains("use_direct_io_for_flush_and_compaction=true")
        .contains("compression=kNoCompression")
        .contains("filter_policy=bloomfilter:10:false");
  }

  @Test
  void blocksAreCompressedAsDemanded() throws IOException {
    assertThat(optionsOf(StoreKind.ROCKSDB, TERMS.withCompression(Compression.LZ4)))
        .contains("compression=kLZ4Compression");
    assertThat(optionsOf(StoreKind.ROCKSDB_UNIVERSAL, TERMS.withCompression(Compression.ZSTD)))
        .contains("compression=kZSTD");
  }

  @Test
  void whatIsNotDemandedIsOff() throws IOException {
    Terms plain = Terms.plain(Durability.BUFFERED, 3 << 20, 0);
    assertThat(optionsOf(StoreKind.ROCKSDB, plain))
        .contains("use_direct_reads=false")
        .contains("use_direct_io_for_flush_and_compaction=false")
        .contains("filter_policy=nullptr")
        .contains("no_block_cache=true");
  }

  private String optionsOf(StoreKind kind, Terms terms) throws IOException {
    kind.open(directory, terms, TestTerms.EXPECTED_BYTES).close();
    try (Stream<Path> files = Files.list(directory)) {
      Path newest =
          files
              .filter(file -> file.getFileName().toString().startsWith("OPTIONS-"))
              .max(Path::compareTo)
              .orElseThrow();
      return Files.readString(newest);
    }
  }
}
