package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Backups;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.dump.FileDump;
import io.sifr.inspect.salvage.Salvage;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paths that callers give: through symbolic links they work, in other file systems they do not. */
class PathsOfCallersTest {
  @TempDir Path directory;

  private Path linkTo(String name) throws IOException {
    Path real = Files.createDirectory(directory.resolve(name));
    return Files.createSymbolicLink(directory.resolve("link-to-" + name), real);
  }

  private static void assertFilled(Path store) {
    try (Store opened = SmallStores.open(store)) {
      assertThat(SmallStores.content(opened.database())).isEqualTo(SmallStores.filled(0, 100, 1));
    }
  }

  @Test
  void linksStandForTheirDirectories() throws IOException {
    Path store = linkTo("store");
    Path copy = linkTo("copy");
    Path backups = linkTo("backups");
    Path restored = linkTo("restored");
    Path salvaged = linkTo("salvaged");
    try (Store opened = SmallStores.open(store)) {
      SmallStores.fill(opened.database(), 0, 100, 1);
      opened.checkpoint(copy);
      Backups.in(backups).create(opened);
      try (Store read = Store.builder(store).openReadOnly()) {
        assertThat(SmallStores.content(read.database())).isEqualTo(SmallStores.filled(0, 100, 1));
      }
    }
    Backups.in(backups).restore(1, restored);
    assertThat(Salvage.run(store, salvaged, CheckProgress.NONE)).isNotNull();
    for (Path each : List.of(store, copy, restored, salvaged)) {
      assertThat(Store.exists(each)).isTrue();
      assertThat(StoreCheck.run(each, CheckProgress.NONE).findings()).isEmpty();
      assertFilled(each);
    }
    Path files = linkTo("files");
    try (SstFileWriter writer =
        SstFileWriter.create(files.resolve("new.sst"), StoreOptions.DEFAULT)) {
      writer.put(SmallStores.key(1), SmallStores.value(1, 1));
      assertThat(writer.finish().files()).allMatch(Files::exists);
    }
  }

  /** A path in a ZIP file, as an example. */
  @Test
  void otherFileSystemsAreRefused() throws IOException {
    Path zip = directory.resolve("file.zip");
    try (FileSystem other = FileSystems.newFileSystem(zip, Map.of("create", "true"));
        Store store = SmallStores.open(directory.resolve("store"))) {
      Path path = other.getPath("/somewhere");
      Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
      calls.put("open", () -> Store.open(path));
      calls.put("openReadOnly", () -> Store.builder(path).openReadOnly());
      calls.put("exists", () -> Store.exists(path));
      calls.put("destroy", () -> Store.destroy(path));
      calls.put("checkpoint", () -> store.checkpoint(path));
      calls.put("backup", () -> Backups.in(path));
      calls.put(
          "restore",
          () -> {
            Backups backups = Backups.in(directory.resolve("backups"));
            backups.create(store);
            backups.restore(1, path);
          });
      calls.put("ingest", () -> store.database().ingest(List.of(path), IngestOptions.DEFAULT));
      calls.put("writer", () -> SstFileWriter.create(path, StoreOptions.DEFAULT));
      calls.put(
          "temporary directory of a load",
          () -> store.database().bulkLoader().temporaryDirectory(path));
      calls.put("check", () -> StoreCheck.run(path, CheckProgress.NONE));
      calls.put("dump", () -> FileDump.dump(path, record -> {}));
      calls.put("salvage from", () -> Salvage.run(path, directory, CheckProgress.NONE));
      calls.put(
          "salvage to", () -> Salvage.run(directory.resolve("store"), path, CheckProgress.NONE));
      calls.forEach(
          (name, call) ->
              assertThatIllegalArgumentException()
                  .as(name)
                  .isThrownBy(call)
                  .withMessageContaining("file.zip")
                  .withMessageContaining("default file system"));
    }
  }
}
