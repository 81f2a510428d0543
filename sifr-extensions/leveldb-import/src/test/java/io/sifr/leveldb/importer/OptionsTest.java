package io.sifr.leveldb.importer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import io.sifr.config.Compression;
import io.sifr.importer.Import;
import io.sifr.importer.ImportProgress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OptionsTest {
  @TempDir Path directory;

  @Test
  void databaseAndCompressionAreAsTheyWereGiven() throws IOException {
    Path source = Golden.copy("plyvel", directory.resolve("source"));
    Path target = directory.resolve("target");
    Imported imported =
        Imported.of(source, target, "--database=old", "--compression=zstd", "--json");
    assertThat(imported.error()).isEmpty();
    assertThat(imported.output())
        .matches(
            "\\{\"importedEntries\":"
                + Golden.expected().size()
                + ",\"importedBytes\":[0-9]+,\"tables\":1,\"logs\":1,\"database\":\"old\","
                + "\"compression\":\"ZSTD\",\"importSeconds\":[0-9.E-]+}\\R");
    try (Store store = Store.open(target)) {
      assertThat(store.database("old").count(KeyRange.all())).isEqualTo(Golden.expected().size());
      assertThat(store.database("old").options().compression()).isEqualTo(Compression.ZSTD);
      assertThat(store.database().count(KeyRange.all())).isZero();
    }
  }

  @Test
  void aNameThatNoDatabaseCanHaveIsRefused() throws IOException {
    Path source = Golden.copy("plyvel", directory.resolve("source"));
    Imported imported = Imported.of(source, directory.resolve("target"), "--database=");
    assertThat(imported.exitCode()).isEqualTo(2);
    assertThat(directory).isDirectoryNotContaining("glob:**target*");
  }

  @Test
  void anImportThatIsStoppedLeavesNothing() throws IOException {
    Path source = Golden.copy("plyvel", directory.resolve("source"));
    Console console =
        new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            TerminalTraits.NONE);
    try (ImportProgress progress = new ImportProgress(console)) {
      progress.stop();
      Import task = new Import(directory.resolve("target"), null, progress);
      SourceOptions options = new SourceOptions(false, false, 1 << 20);
      assertThatThrownBy(
              () -> task.run(() -> LevelDbSource.open(source, Store.DEFAULT_DATABASE, options)))
          .isInstanceOf(CancellationException.class);
    }
    assertThat(directory).isDirectoryNotContaining("glob:**target*");
  }

  @Test
  void progressIsDrawnOnATerminal() throws IOException {
    Path source = Golden.copy("plyvel", directory.resolve("source"));
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            err,
            new TerminalTraits(false, true, 80, false));
    int exitCode =
        new LevelDbImportCommand(console, new Cleanup())
            .execute(source.toString(), directory.resolve("target").toString());
    assertThat(exitCode).isZero();
    assertThat(err.toString(UTF_8)).contains("read ", "write ", "compare ", "100%");
  }
}
