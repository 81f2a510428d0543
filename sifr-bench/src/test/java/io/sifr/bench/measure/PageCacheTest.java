package io.sifr.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageCacheTest {
  private static final int BYTES = 1 << 20;

  @TempDir Path directory;

  @Test
  void whatIsInItIsCountedUntilItIsForgotten() throws IOException {
    assumeThat(Path.of("/usr/bin/fincore")).exists();
    Path counted = Files.write(directory.resolve("1.sst"), new byte[BYTES]);
    Files.write(directory.resolve("2.wal"), new byte[BYTES]);
    assertThat(PageCache.bytes(directory, ".sst")).isEqualTo(BYTES);
    assertThat(PageCache.bytes(directory, ".ldb")).isZero();
    assumeThat(Files.getFileStore(directory).type()).startsWith("ext"); // not in memory
    try (FileChannel file = FileChannel.open(counted, StandardOpenOption.WRITE)) {
      file.force(true);
    }
    PageCache.forget(directory, ".sst");
    assertThat(PageCache.bytes(directory, ".sst")).isZero();
  }
}
