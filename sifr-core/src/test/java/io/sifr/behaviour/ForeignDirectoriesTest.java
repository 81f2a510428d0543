package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sifr.Store;
import io.sifr.config.StoreOptions;
import io.sifr.error.ForeignDirectoryException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.salvage.Salvage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A directory of other files is never taken for a store, nor called damaged, and nothing in it
 * changes.
 */
class ForeignDirectoriesTest {
  private static final String OF_LEVELDB = "it is a LevelDB directory. The program sifr-import-";
  private static final String OF_ROCKSDB = "it is a RocksDB directory. The program sifr-import-";

  @TempDir Path parent;

  private Path directory() {
    return parent.resolve("data");
  }

  private void write(String... contentByName) throws IOException {
    Files.createDirectories(directory());
    for (int i = 0; i < contentByName.length; i += 2) {
      Files.writeString(directory().resolve(contentByName[i]), contentByName[i + 1]);
    }
  }

  private Map<String, String> files() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory())) {
      for (Path file : files.toList()) {
        contents.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return contents;
  }

  /** Everything that has to do with a directory. */
  private Map<String, ThrowingCallable> calls() {
    Path directory = directory();
    return Map.of(
        "open", () -> Store.open(directory),
        "open existing",
            () -> Store.open(directory, StoreOptions.builder().createIfMissing(false).build()),
        "open read-only", () -> Store.builder(directory).openReadOnly(),
        "exists", () -> Store.exists(directory),
        "destroy", () -> Store.destroy(directory),
        "check", () -> StoreCheck.run(directory, CheckProgress.NONE),
        "salvage", () -> Salvage.run(directory, parent.resolve("target"), CheckProgress.NONE));
  }

  private void assertRefusedBecause(String reason) throws IOException {
    Map<String, String> before = files();
    for (Map.Entry<String, ThrowingCallable> call : calls().entrySet()) {
      assertThatExceptionOfType(ForeignDirectoryException.class)
          .as(call.getKey())
          .isThrownBy(call.getValue())
          .withMessageStartingWith(directory() + " is no store of Sifr: " + reason)
          .withMessageNotContaining("damaged")
          .satisfies(e -> assertThat(e.directory()).isEqualTo(directory()));
      assertThat(files()).as(call.getKey()).isEqualTo(before);
    }
    assertThat(parent.resolve("target")).doesNotExist();
  }

  /** Also one that is not whole: with the line end of another system, or without. */
  @ParameterizedTest
  @ValueSource(strings = {"MANIFEST-000002\n", "MANIFEST-000002\r\n", "MANIFEST-7"})
  void levelDbsIsNamed(String current) throws IOException {
    write("CURRENT", current, "LOCK", "", "MANIFEST-000002", "x", "000005.ldb", "y", "LOG", "z");
    assertRefusedBecause(OF_LEVELDB);
  }

  static Stream<String> filesOfRocksDb() {
    return Stream.of("IDENTITY", "OPTIONS-000007");
  }

  @ParameterizedTest
  @MethodSource("filesOfRocksDb")
  void rocksDbsIsNamed(String file) throws IOException {
    write("CURRENT", "MANIFEST-000005\n", "LOCK", "", file, "x", "000012.sst", "y");
    assertRefusedBecause(OF_ROCKSDB);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "release 7\n"})
  void aCurrentOfUnknownOriginIsNotDeleted(String content) throws IOException {
    write("CURRENT", content, "LOCK", "", "notes.txt", "x");
    Map<String, String> before = files();
    assertThatExceptionOfType(ForeignDirectoryException.class)
        .isThrownBy(() -> Store.destroy(directory()))
        .withMessageContaining("its CURRENT is not one that Sifr writes");
    assertThat(files()).isEqualTo(before);
  }

  /** LMDB, the MVStore, Xodus, a LevelDB that has lost its CURRENT, anybody's files. */
  @ParameterizedTest
  @ValueSource(
      strings = {"data.mdb", "store.mv.db", "00000000000.xd", "MANIFEST-000002", "000007.sst"})
  void filesOfOthersStayAndSoDoesTheirLock(String name) throws IOException {
    write(name, "x", "LOCK", "");
    Map<String, String> before = files();
    assertThat(Store.exists(directory())).isFalse();
    Store.destroy(directory());
    assertThat(files()).isEqualTo(before);
  }

  /** What is certainly of a store is deleted, whatever has become of its CURRENT. */
  @ParameterizedTest
  @ValueSource(strings = {"", "sifr 1 manifest 3", "Sifr 1 manifest 3"})
  void aDamagedStoreIsDeleted(String current) throws IOException {
    SmallStores.open(directory()).close();
    write("CURRENT", current);
    Store.destroy(directory());
    assertThat(directory()).doesNotExist();
  }

  @Test
  void whatADestroyLeftThatWasKilledAtItsEndIsDeleted() throws IOException {
    write("LOCK", "4711");
    Store.destroy(directory());
    assertThat(directory()).doesNotExist();
  }
}
