package io.sifr.inspect.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import io.sifr.Store;
import io.sifr.error.StoreLockedException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.FileDump;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.CatalogEdits;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.testing.Directories;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.SampleStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreCheckTest {
  @TempDir Path parent;

  @Test
  void anEmptyStoreIsClean() {
    Path directory = parent.resolve("empty");
    Store.open(directory).close();

    CheckReport report = StoreCheck.run(directory, CheckProgress.NONE);

    assertThat(report.findings()).isEmpty();
    assertThat(report.databases()).isEqualTo(1);
    assertThat(report.ssts()).isZero();
    assertThat(report.entries()).isZero();
  }

  @Test
  void aClosedStoreIsCleanAndCounted() throws Exception {
    Path directory = SampleStore.closed(parent);
    List<Long> done = new ArrayList<>();
    List<Long> totals = new ArrayList<>();

    CheckReport report =
        StoreCheck.run(
            directory,
            (doneBytes, totalBytes) -> {
              done.add(doneBytes);
              totals.add(totalBytes);
            });

    assertThat(report.findings()).isEmpty();
    assertThat(report.isClean()).isTrue();
    assertThat(report.databases()).isEqualTo(2);
    assertThat(report.trees()).isGreaterThan(2);
    assertThat(report.ssts()).isEqualTo(Directories.files(directory, FileKind.SST).size());
    assertThat(report.entries()).isGreaterThan(SampleStore.KEYS / 2);
    assertThat(report.logRecords()).isZero();
    long bytes = 0;
    for (FileKind kind : FileKind.values()) {
      for (Path file : Directories.files(directory, kind)) {
        bytes += Files.size(file);
      }
    }
    assertThat(report.bytes()).isEqualTo(bytes);
    assertThat(done).isSorted().endsWith(bytes).hasSizeGreaterThan(report.ssts());
    assertThat(totals).containsOnly(bytes);
  }

  @Test
  void aStoreThatWasKilledIsClean() throws Exception {
    CheckReport report = StoreCheck.run(SampleStore.killed(parent), CheckProgress.NONE);

    assertThat(report.findings()).isEmpty();
    assertThat(report.logRecords()).isPositive();
  }

  @Test
  void checkingWritesNothingButTheLockFile() throws Exception {
    Path directory = SampleStore.killed(parent);
    Path before = Directories.copy(directory, parent.resolve("before"));

    StoreCheck.run(directory, CheckProgress.NONE);

    Files.delete(directory.resolve("LOCK"));
    List<Path> files = Directories.files(directory);
    assertThat(files).hasSameSizeAs(Directories.files(before));
    for (Path file : files) {
      assertThat(file).hasSameBinaryContentAs(before.resolve(file.getFileName()));
    }
  }

  @Test
  void whatIsNoStoreIsRefusedAndNotTouched() throws Exception {
    Path empty = Files.createDirectory(parent.resolve("empty"));
    Path missing = parent.resolve("missing");

    assertThatThrownBy(() -> StoreCheck.run(empty, CheckProgress.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("holds no store");
    assertThatThrownBy(() -> StoreCheck.run(missing, CheckProgress.NONE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(empty).isEmptyDirectory();
    assertThat(missing).doesNotExist();
  }

  @Test
  void aStoreThatIsOpenIsRefused() {
    try (Store store = Store.open(parent.resolve("open"))) {
      assertThatThrownBy(() -> StoreCheck.run(store.directory(), CheckProgress.NONE))
          .isInstanceOf(StoreLockedException.class);
    }
  }

  @Test
  void theLockIsGivenBack() {
    Path directory = SampleStore.closed(parent);

    StoreCheck.run(directory, CheckProgress.NONE);

    Store.open(directory).close();
  }

  @Test
  void damageToEachPieceOfAnSstIsFoundWhereThePieceBegins() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path sst = largest(Directories.files(directory, FileKind.SST));
    byte[] sound = Files.readAllBytes(sst);
    List<DumpedRecord> pieces = new ArrayList<>();
    FileDump.dump(
        sst,
        piece -> {
          if (piece.depth() == 0) {
            pieces.add(piece);
          }
        });
    assertThat(pieces).extracting(DumpedRecord::kind).contains("block", "index", "footer");
    for (DumpedRecord piece : pieces) {
      Directories.flip(sst, piece.offset() + piece.length() / 2);

      assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
          .describedAs(piece.toString())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.file()).isEqualTo(sst);
                if (piece.kind().equals("padding")) {
                  assertThat(finding.what()).isEqualTo("padding is not zero");
                } else {
                  assertThat(finding.offset()).isEqualTo(piece.offset());
                  assertThat(finding.what()).contains("checksum");
                }
              });
      Files.write(sst, sound);
    }
  }

  @Test
  void anyByteOfAnSstThatIsFlippedIsFoundInThatFile() throws Exception {
    Path directory = SampleStore.closed(parent);
    List<Path> ssts = Directories.files(directory, FileKind.SST);
    long seed = 5;
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      Path sst = ssts.get(random.nextInt(ssts.size()));
      byte[] sound = Files.readAllBytes(sst);
      // The rest of the last page holds the small pieces.
      long offset =
          round % 2 == 0 ? random.nextInt(sound.length) : sound.length - 1 - random.nextInt(4096);
      Directories.flip(sst, offset);

      assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
          .describedAs("seed %d, round %d: offset %d of %s", seed, round, offset, sst)
          .singleElement()
          .extracting(Finding::file)
          .isEqualTo(sst);
      Files.write(sst, sound);
    }
  }

  @Test
  void aTruncatedSstIsFound() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path sst = Directories.files(directory, FileKind.SST).get(0);
    byte[] sound = Files.readAllBytes(sst);
    for (int length : new int[] {0, 1, 31, 4095, 4096, sound.length - 4096, sound.length - 1}) {
      Files.write(sst, Arrays.copyOf(sound, length));

      assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
          .containsExactly(
              new Finding(
                  sst, 0, "the file has " + length + " bytes, the manifest says " + sound.length));
    }
  }

  @Test
  void aMissingSstIsFoundWithItsDatabase() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path sst = Directories.files(directory, FileKind.SST).get(0);
    Files.delete(sst);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.file()).isEqualTo(sst);
              assertThat(finding.what()).contains("missing", "the forest of ");
            });
  }

  @Test
  void anSstThatNoTreeHoldsIsFound() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path orphan = FileKind.SST.path(directory, 77_777);
    Files.copy(Directories.files(directory, FileKind.SST).get(0), orphan);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.file()).isEqualTo(orphan);
              assertThat(finding.what()).startsWith("no tree holds this SST");
            });
    Store.open(directory).close();
    assertThat(orphan).doesNotExist();
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void whatAKilledProcessLeavesIsNoFaultButForeignFilesAre() throws Exception {
    Path directory = SampleStore.killed(parent);
    List<Path> ssts = Directories.files(directory, FileKind.SST);
    Path manifest = Directories.files(directory, FileKind.MANIFEST).get(0);
    long number = FileKind.SST.numberOf(ssts.get(ssts.size() - 1).getFileName().toString()).get();
    Files.copy(ssts.get(0), FileKind.SST.path(directory, number + 1));
    Files.copy(manifest, FileKind.MANIFEST.path(directory, number + 2));
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();

    Path foreignSst = FileKind.SST.path(directory, 77_777);
    Path foreignManifest = FileKind.MANIFEST.path(directory, 88_888);
    Files.copy(ssts.get(0), foreignSst);
    Files.copy(manifest, foreignManifest);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .extracting(Finding::file)
        .containsExactlyInAnyOrder(foreignSst, foreignManifest);
  }

  @Test
  void ssTsUnderEachOthersNamesAreFound() throws Exception {
    Path directory = SampleStore.closed(parent);
    List<Path> ssts = Directories.files(directory, FileKind.SST);
    Path a = ssts.get(0);
    Path b = sameSize(a, ssts);
    Directories.exchange(a, b);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .extracting(Finding::file)
        .containsExactlyInAnyOrder(a, b);
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .allSatisfy(finding -> assertThat(finding.what()).contains("unique id"));
  }

  @Test
  void anSstOfAnotherDatabaseIsFound() throws Exception {
    Path directory = parent.resolve("store");
    try (Store store = Store.open(directory)) {
      store.database().put(SampleStore.key(1), SampleStore.key(1));
      store.openOrCreateDatabase("second").put(SampleStore.key(1), SampleStore.key(2));
      store.flush();
    }
    StoreFileSystem files = new DiskFileSystem();
    Catalog catalog = Manifest.recover(files, directory).catalog();
    List<ForestEdit> edits = new ArrayList<>();
    for (ForestEdit edit : CatalogEdits.of(catalog)) {
      edits.add(
          edit instanceof ForestEdit.TreeAdded tree
              ? new ForestEdit.TreeAdded(
                  3 - tree.databaseId(), tree.stage(), tree.treeId(), tree.ssts())
              : edit);
    }
    edits.sort(Comparator.comparing(edit -> !(edit instanceof ForestEdit.DatabaseCreated)));
    Manifest.startNew(files, directory, catalog.nextNumber(), Catalog.EMPTY.apply(edits)).close();

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .extracting(Finding::what)
        .containsExactlyInAnyOrder(
            "written for database 1, and database 2 holds it",
            "written for database 2, and database 1 holds it");
  }

  @Test
  void anSstOfAnotherStoreIsFound() throws Exception {
    Path directory = SampleStore.closed(parent.resolve("one"));
    Path other = SampleStore.closed(parent.resolve("other"));
    Path sst = Directories.files(directory, FileKind.SST).get(0);
    Path foreign = Directories.files(other, FileKind.SST).get(0);
    Files.delete(sst);
    Files.copy(foreign, sst);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .extracting(Finding::file)
        .isEqualTo(sst);
  }

  @Test
  void garbageInCurrentIsFoundAndTheOtherFilesAreCheckedAllTheSame() throws Exception {
    Path directory = SampleStore.killed(parent);
    Path current = directory.resolve("CURRENT");
    Path sst = Directories.files(directory, FileKind.SST).get(0);
    Files.writeString(current, "manifest 7 or so\n", StandardCharsets.US_ASCII);
    Directories.flip(sst, 100);

    CheckReport report = StoreCheck.run(directory, CheckProgress.NONE);

    assertThat(report.findings()).extracting(Finding::file).containsExactly(current, sst);
    assertThat(report.ssts()).isEqualTo(Directories.files(directory, FileKind.SST).size());
    assertThat(report.entries()).isPositive();
    assertThat(report.logRecords()).isPositive();
  }

  @Test
  void aMissingCurrentIsFound() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path current = directory.resolve("CURRENT");
    Files.delete(current);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .containsExactly(new Finding(current, 0, "the file is missing"));
  }

  @Test
  void everyByteOfCurrentThatIsFlippedIsFound() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path current = directory.resolve("CURRENT");
    byte[] sound = Files.readAllBytes(current);
    for (int i = 0; i < sound.length; i++) {
      Directories.flip(current, i);

      assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
          .describedAs("byte %d", i)
          .extracting(Finding::file)
          .containsExactly(current);
      Files.write(current, sound);
    }
  }

  @Test
  void aMissingManifestIsFound() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path manifest = Directories.files(directory, FileKind.MANIFEST).get(0);
    Files.delete(manifest);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .containsExactly(new Finding(manifest, 0, "the file is missing"));
  }

  @Test
  void aDamagedRecordOfTheManifestIsFoundAtItsOffset() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path manifest = Directories.files(directory, FileKind.MANIFEST).get(0);
    byte[] sound = Files.readAllBytes(manifest);
    List<DumpedRecord> records = new ArrayList<>();
    FileDump.dump(
        manifest,
        piece -> {
          if (piece.kind().equals("record")) {
            records.add(piece);
          }
        });
    // Damage to the last record cannot be told from one whose write never ended.
    for (DumpedRecord record : records.subList(0, records.size() - 1)) {
      Directories.flip(manifest, record.offset() + record.length() / 2);

      assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
          .describedAs(record.toString())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.file()).isEqualTo(manifest);
                assertThat(finding.offset()).isEqualTo(record.offset());
              });
      Files.write(manifest, sound);
    }
    assertThat(records).hasSizeGreaterThan(3);
  }

  @Test
  void aManifestThatCurrentDoesNotNameIsFound() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path manifest = Directories.files(directory, FileKind.MANIFEST).get(0);
    Path other = FileKind.MANIFEST.path(directory, 88_888);
    Files.copy(manifest, other);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .extracting(Finding::file)
        .isEqualTo(other);
  }

  @Test
  void damageToARecordOfTheLogThatWasSyncedIsFoundAtItsOffset() throws Exception {
    Path directory = SampleStore.killed(parent);
    Path segment = segmentWithRecords(directory);
    List<DumpedRecord> records = records(segment);
    DumpedRecord first = records.get(0);
    Directories.flip(segment, first.offset() + 10);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.file()).isEqualTo(segment);
              assertThat(finding.offset()).isEqualTo(first.offset());
            });
  }

  @Test
  void aLogThatEndsWithinARecordIsHowACrashLeavesIt() throws Exception {
    Path directory = SampleStore.killed(parent);
    long whole = StoreCheck.run(directory, CheckProgress.NONE).logRecords();
    List<Path> segments = Directories.files(directory, FileKind.WAL);
    Path last = segments.stream().filter(file -> !records(file).isEmpty()).toList().get(0);
    for (Path segment : segments) {
      last = records(segment).isEmpty() ? last : segment;
    }
    List<DumpedRecord> records = records(last);
    DumpedRecord torn = records.get(records.size() - 1);
    Directories.flip(last, torn.offset() + 10);
    // The segment's mark tells that the record was synced; it is not synced itself.
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.offset()).isEqualTo(torn.offset()));
    byte[] bytes = Files.readAllBytes(last);
    Arrays.fill(bytes, bytes.length - 8, bytes.length, (byte) 0);
    Files.write(last, bytes);

    CheckReport report = StoreCheck.run(directory, CheckProgress.NONE);

    assertThat(report.findings()).isEmpty();
    assertThat(report.logRecords()).isEqualTo(whole - 1);
  }

  @Test
  void aDamagedHeaderOfALogSegmentIsFound() throws Exception {
    Path directory = SampleStore.killed(parent);
    Path segment = segmentWithRecords(directory);
    Directories.flip(segment, 20);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.file()).isEqualTo(segment);
              assertThat(finding.what()).contains("file header");
            });
  }

  @Test
  void aMissingLogSegmentIsFound() throws Exception {
    Path directory = SampleStore.killed(parent);
    List<Path> segments = Directories.files(directory, FileKind.WAL);
    Path sealed = null;
    for (Path segment : segments) {
      if (sealed == null && dump(segment).stream().anyMatch(p -> p.kind().equals("seal"))) {
        sealed = segment;
      }
    }
    assertThat(sealed).isNotNull();
    Path follower = segments.get(segments.indexOf(sealed) + 1);
    Files.delete(follower);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .containsExactly(new Finding(follower, 0, "the segment is needed but missing"));
  }

  @Test
  void aFileThatCannotBeReadIsFoundAndTheOthersAreCheckedAllTheSame() throws Exception {
    Path directory = SampleStore.closed(parent);
    List<Path> ssts = Directories.files(directory, FileKind.SST);
    Path bad = ssts.get(0);
    Path damaged = ssts.get(ssts.size() - 1);
    Directories.flip(damaged, 100);
    FaultyFileSystem fileSystem = new FaultyFileSystem(new DiskFileSystem());
    fileSystem.failForGood(Operation.MAP_FOR_READ, bad::equals, 1, Fault.EIO);

    CheckReport report = TestChecks.run(fileSystem, directory);

    assertThat(report.findings()).extracting(Finding::file).containsExactlyInAnyOrder(bad, damaged);
    assertThat(report.findings())
        .anySatisfy(finding -> assertThat(finding.what()).contains("Input/output error"));
  }

  @Test
  void whateverHappensToFilesTheCheckEndsWithAReport() throws Exception {
    Path sound = SampleStore.killed(parent);
    long seed = 11;
    Random random = new Random(seed);
    int clean = 0;
    for (int round = 0; round < 40; round++) {
      Path directory = Directories.copy(sound, parent.resolve("round" + round));
      List<Path> files = byKind(directory);
      Path victim = files.get(random.nextInt(files.size()));
      damage(victim, files.get(random.nextInt(files.size())), random);

      CheckReport report = StoreCheck.run(directory, CheckProgress.NONE);

      assertThat(report.findings())
          .describedAs("seed %d, round %d, %s", seed, round, victim)
          .allSatisfy(finding -> assertThat(finding.file().getParent()).isEqualTo(directory));
      clean += report.isClean() ? 1 : 0;
    }
    // Clean are only those where nothing was lost: after the end of the log, or what is needed no
    // more.
    assertThat(clean).describedAs("seed %d", seed).isLessThan(20);
  }

  /** Kinds take their numbers from one counter, in turns that differ from run to run. */
  private static List<Path> byKind(Path directory) throws IOException {
    return Directories.files(directory).stream()
        .sorted(Comparator.comparing(file -> MoreFiles.getFileExtension(file)))
        .toList();
  }

  private static void damage(Path victim, Path other, Random random) throws Exception {
    byte[] bytes = Files.readAllBytes(victim);
    int from = random.nextInt(bytes.length);
    switch (random.nextInt(5)) {
      case 0 -> Files.delete(victim);
      case 1 -> Files.write(victim, Arrays.copyOf(bytes, from));
      case 2 -> Files.write(victim, Files.readAllBytes(other));
      case 3 -> {
        Arrays.fill(bytes, from, Math.min(bytes.length, from + 4096), (byte) 0xFF);
        Files.write(victim, bytes);
      }
      default -> {
        for (int i = 0; i < 8; i++) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
        }
        Files.write(victim, bytes);
      }
    }
  }

  private static Path segmentWithRecords(Path directory) throws Exception {
    return Directories.files(directory, FileKind.WAL).stream()
        .filter(segment -> records(segment).size() > 1)
        .findFirst()
        .orElseThrow();
  }

  private static List<DumpedRecord> records(Path segment) {
    return dump(segment).stream().filter(piece -> piece.kind().equals("record")).toList();
  }

  private static List<DumpedRecord> dump(Path file) {
    List<DumpedRecord> pieces = new ArrayList<>();
    FileDump.dump(file, pieces::add);
    return pieces;
  }

  private static Path largest(List<Path> files) throws Exception {
    Path largest = files.get(0);
    for (Path file : files) {
      largest = Files.size(file) > Files.size(largest) ? file : largest;
    }
    return largest;
  }

  private static Path sameSize(Path file, List<Path> files) throws Exception {
    for (Path other : files) {
      if (!other.equals(file) && Files.size(other) == Files.size(file)) {
        return other;
      }
    }
    throw new AssertionError("no two SSTs have the same size");
  }
}
