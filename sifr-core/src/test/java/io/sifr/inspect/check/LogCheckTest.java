package io.sifr.inspect.check;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.WalParts;
import io.sifr.internal.wal.WalWriter;
import io.sifr.testing.Directories;
import io.sifr.testing.TestManifests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs that are whole, and yet not what they should be. */
class LogCheckTest {
  private static final byte[] PUT_A_1 = {1, 1, 'a', 16, '1'};

  private final StoreFileSystem fileSystem = new DiskFileSystem();

  @TempDir Path directory;

  @Test
  void recordsOfOperationsAreCounted() {
    log(1, PUT_A_1);

    CheckReport report = StoreCheck.run(directory, CheckProgress.NONE);

    assertThat(report.findings()).isEmpty();
    assertThat(report.logRecords()).isEqualTo(2);
  }

  @Test
  void aRecordThatHoldsNoOperationsIsFound() {
    log(1, new byte[] {1, 100, 'a'});

    assertThatRecordIsFound("key has 100 bytes");
  }

  @Test
  void aRecordWithAnotherNumberOfOperationsIsFound() {
    log(2, PUT_A_1);

    assertThatRecordIsFound("there are 1 operations, it tells of 2");
  }

  @Test
  void anOperationOfADatabaseThatNeverWasIsFound() {
    log(1, new byte[] {7, 1, 'a', 16, '1'});

    assertThatRecordIsFound("there never was a database with id 7");
  }

  @Test
  void aFirstSegmentThatIsMissingIsFound() throws Exception {
    Path live = directory.resolve("live");
    StoreOptions options = StoreOptions.builder().logSegmentBytes(16 << 10).build();
    Path copy;
    try (Store store = Store.open(live, options)) {
      for (int i = 0; i < 100; i++) {
        store.database().put(("key" + i).getBytes(US_ASCII), new byte[1000], WriteOptions.BUFFERED);
      }
      store.sync();
      copy = Directories.copy(live, directory.resolve("copy"));
    }
    Path first = Directories.files(copy, FileKind.WAL).get(0);
    Files.delete(first);

    assertThat(StoreCheck.run(copy, CheckProgress.NONE).findings())
        .containsExactly(new Finding(first, 0, "the segment is needed but missing"));
  }

  /** Makes a store with a log of two records; the second one is to be looked at. */
  private void log(int count, byte[] operations) {
    TestManifests.create(
            fileSystem,
            directory,
            1,
            List.of(
                new ForestEdit.DatabaseCreated(1, "default"),
                new ForestEdit.NumbersReserved(1000),
                new ForestEdit.LogStart(2)))
        .close();
    AtomicLong numbers = new AtomicLong(1);
    try (WalWriter log =
        new WalWriter(
            new WalParts(
                fileSystem,
                directory,
                numbers::incrementAndGet,
                1 << 16,
                LogAccess.WRITTEN,
                task -> {}),
            0)) {
      log.append(1, 1, PUT_A_1, 0, PUT_A_1.length);
      log.append(2, count, operations, 0, operations.length);
      log.sync();
    }
  }

  private void assertThatRecordIsFound(String what) {
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.file()).isEqualTo(FileKind.WAL.path(directory, 2));
              // After the header, and the first record of 8 + 20 + 5 bytes, padded.
              assertThat(finding.offset()).isEqualTo(32 + 40);
              assertThat(finding.what()).startsWith("in an intact record, ").contains(what);
            });
  }
}
