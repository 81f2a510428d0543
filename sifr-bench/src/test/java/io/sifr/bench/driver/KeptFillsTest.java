package io.sifr.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptFillsTest {
  private static final RunSpec SPEC =
      Specs.of(StoreKind.SIFR, List.of(Workload.FILLRANDOM), 100, 1, 1);

  @TempDir Path directory;
  private Path filled;

  @BeforeEach
  void fill() throws IOException {
    filled = Files.createDirectories(directory.resolve("filled"));
    Files.writeString(filled.resolve("file"), "first");
  }

  @Test
  void whatAnotherProcessHasKeptMeanwhileStays() throws IOException {
    Path kept = directory.resolve("kept");
    KeptFills fills = new KeptFills(kept);
    fills.keep(SPEC, filled);
    Files.writeString(filled.resolve("file"), "second");
    fills.keep(SPEC, filled);
    Path copy = directory.resolve("copy");
    assertThat(fills.copyTo(SPEC, copy)).isTrue();
    assertThat(copy.resolve("file")).hasContent("first");
    assertThat(kept).isDirectoryNotContaining("glob:**unfinished*");
  }

  @Test
  void aDirectoryThatCannotBeMadeIsAFailure() throws IOException {
    KeptFills fills = new KeptFills(filled.resolve("file").resolve("kept"));
    assertThatThrownBy(() -> fills.keep(SPEC, filled)).isInstanceOf(UncheckedIOException.class);
  }
}
