package io.sifr.inspect.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreLockedException;
import io.sifr.inspect.CheckProgress;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.spi.EncryptionKeys;
import io.sifr.testing.Directories;
import io.sifr.testing.Padded;
import io.sifr.testing.TestExtractors;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store is checked while it is open: what is wrong is found, and nothing else. */
class OpenStoreIsCheckedTest {
  private static final StoreOptions SMALL =
      StoreOptions.builder().writeBufferBytes(16384).splitUnitBytes(8192).build();

  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private CheckReport check(CheckProgress progress) {
    StoreCheck.OfMoment check =
        StoreCheck.runReadOnly(directory, EncryptionKeys.NONE, List.of(), progress);
    assertThat(check.notChecked()).isNotEmpty();
    return check.report();
  }

  private static byte[] key(int number) {
    return ("key" + Padded.number(number, 6)).getBytes(UTF_8);
  }

  /** Values of some keys are apart. */
  private static void fill(Store store) {
    Database apart =
        store.openOrCreateDatabase(
            "apart", DatabaseOptions.builder().separateValuesFrom(1000).build());
    for (int i = 0; i < 500; i++) {
      store.database().put(key(i), "x".repeat(i % 100).getBytes(UTF_8));
      apart.put(key(i), new byte[10 * i]);
    }
    store.flush();
    store.awaitIdle();
    for (int i = 0; i < 10; i++) {
      store.database().put(key(i), new byte[3]);
    }
  }

  private Map<String, FileTime> modified() throws IOException {
    Map<String, FileTime> times = new TreeMap<>();
    for (Path file : Directories.files(directory)) {
      times.put(file.toString(), Files.getLastModifiedTime(file));
    }
    return times;
  }

  @Test
  void aSoundOneIsCleanAndWhatCannotBeSeenIsSaid() throws IOException {
    try (Store store = Store.open(directory, SMALL)) {
      fill(store);
      Map<String, FileTime> before = modified();
      CheckReport report = check(CheckProgress.NONE);
      assertThat(report.findings()).isEmpty();
      assertThat(report.databases()).isEqualTo(2);
      assertThat(report.ssts()).isPositive();
      assertThat(report.entries()).isGreaterThanOrEqualTo(1000);
      assertThat(report.logRecords()).isGreaterThanOrEqualTo(10);
      assertThat(modified()).isEqualTo(before);
      assertThatExceptionOfType(StoreLockedException.class)
          .isThrownBy(() -> StoreCheck.run(directory, CheckProgress.NONE));
    }
    assertThat(check(CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void filesThatAreDeletedMeanwhileAreChecked() throws IOException {
    try (Store store = Store.open(directory, SMALL)) {
      fill(store);
      List<Path> ssts = Directories.files(directory, FileKind.SST);
      AtomicBoolean isDone = new AtomicBoolean();
      CheckReport report =
          check(
              (done, total) -> {
                if (isDone.compareAndSet(false, true)) {
                  for (String name : store.databaseNames()) {
                    store.database(name).deleteRange(KeyRange.all());
                    store.database(name).compact();
                  }
                  Waiting.until("they are deleted", () -> ssts.stream().noneMatch(Files::exists));
                }
              });
      assertThat(isDone).isTrue();
      assertThat(report.findings()).isEmpty();
      assertThat(report.ssts()).isGreaterThanOrEqualTo(ssts.size());
    }
  }

  @Test
  void damageIsFound() throws IOException {
    try (Store store = Store.open(directory, SMALL)) {
      fill(store);
      for (FileKind kind : List.of(FileKind.SST, FileKind.VALUES, FileKind.MANIFEST)) {
        Path file = Directories.files(directory, kind).get(0);
        byte[] content = Files.readAllBytes(file);
        byte[] damaged = content.clone();
        damaged[FileHeader.BYTES + 100] ^= 8;
        Files.write(file, damaged);
        CheckReport report = check(CheckProgress.NONE);
        assertThat(report.findings()).as(kind.toString()).isNotEmpty();
        assertThat(report.findings())
            .allSatisfy(
                each -> assertThat(each.file().getFileName()).isEqualTo(file.getFileName()));
        Files.write(file, content);
      }
      assertThat(check(CheckProgress.NONE).findings()).isEmpty();
      Path deleted = Directories.files(directory, FileKind.SST).get(0);
      Files.delete(deleted);
      assertThat(check(CheckProgress.NONE).findings())
          .hasSize(1)
          .allSatisfy(each -> assertThat(each.what()).contains("missing"));
    }
  }

  @Test
  void damageOfTheLogIsFound() throws IOException {
    try (Store store = Store.open(directory, SMALL)) {
      for (int i = 0; i < 10; i++) {
        store.database().put(key(i), new byte[3]);
        store.sync();
      }
      Path copy = Directories.copy(directory, parent.resolve("copy"));
      directory = copy;
      Path log = Directories.files(copy, FileKind.WAL).get(0);
      Directories.flip(log, FileHeader.BYTES + 30);
      assertThat(check(CheckProgress.NONE).findings())
          .hasSize(1)
          .allSatisfy(each -> assertThat(each.file().getFileName()).isEqualTo(log.getFileName()));
    }
  }

  @Test
  void indexesAreComparedThroughALink() throws IOException {
    DatabaseOptions indexed =
        DatabaseOptions.builder().index("byWord", TestExtractors.WORDS).build();
    Path link = parent.resolve("link");
    try (Store store =
        Store.builder(directory).options(SMALL).indexExtractor(TestExtractors.WORDS).open()) {
      Database database = store.createDatabase("texts", indexed);
      database.put(key(1), "red and green".getBytes(UTF_8));
      Files.createSymbolicLink(link, directory);
      StoreCheck.OfMoment check =
          StoreCheck.runReadOnly(
              link, EncryptionKeys.NONE, List.of(TestExtractors.WORDS), CheckProgress.NONE);
      assertThat(check.report().findings()).isEmpty();
    }
  }

  @Test
  void thereMustBeAStore() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> check(CheckProgress.NONE))
        .withMessageContaining("holds no store");
  }
}
