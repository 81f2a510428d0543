package io.sifr.inspect.check;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.write.SstWriter;
import io.sifr.testing.Directories;
import io.sifr.testing.TestManifests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forests put together by hand, with versions where they must not be. */
class PriorityCheckTest {
  private final StoreFileSystem fileSystem = new DiskFileSystem();

  @TempDir Path directory;
  private final List<ForestEdit> edits = new ArrayList<>();
  private long lastNumber = 10;

  @BeforeEach
  void createDatabase() {
    edits.add(new ForestEdit.DatabaseCreated(1, "default"));
  }

  @Test
  void newerVersionsInNewerTreesAndLowerStagesAreAsTheyMustBe() {
    tree(2, "a=1 b=2 c=3");
    tree(2, "a=4 c=5");
    tree(1, "b=7 b=6 c=8");

    assertThat(findings()).isEmpty();
  }

  @Test
  void sequencesThatOverlapAreNoFaultAsLongAsNoKeyIsHidden() {
    tree(2, "a=1 b=9");
    tree(1, "a=2 c=8");

    assertThat(findings()).isEmpty();
  }

  @Test
  void swappedTreesAreFound() {
    long newer = tree(1, "a=4 b=5 d=6");
    long older = tree(1, "a=1 c=2 d=3");

    // The tree added last has priority.
    assertThat(findings())
        .containsExactly(
            new Finding(
                FileKind.SST.path(directory, newer),
                0,
                "key \"a\" has sequence number 4 here, but 1 in "
                    + FileKind.SST.fileName(older)
                    + ", which has priority; the same holds for 2 keys of the two trees"));
  }

  @Test
  void aNewerVersionInAHigherStageIsFound() {
    long hidden = tree(3, "a=1 b=9 c=2");
    tree(2, "a=3");
    long hiding = tree(1, "b=5 c=6");

    assertThat(findings())
        .containsExactly(
            new Finding(
                FileKind.SST.path(directory, hidden),
                0,
                "key \"b\" has sequence number 9 here, but 5 in "
                    + FileKind.SST.fileName(hiding)
                    + ", which has priority"));
  }

  @Test
  void theOldestVersionOfATreeCounts() {
    long hidden = tree(2, "a=5");
    tree(1, "a=9 a=3");

    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.file()).isEqualTo(FileKind.SST.path(directory, hidden));
              assertThat(finding.what()).contains("sequence number 5 here, but 3 in");
            });
  }

  @Test
  void everyTreeIsComparedWithTheOldestVersionAboveIt() {
    long hidden = tree(3, "a=5");
    tree(2, "a=3");
    tree(1, "a=9");

    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.file()).isEqualTo(FileKind.SST.path(directory, hidden));
              assertThat(finding.what()).contains("sequence number 5 here, but 3 in");
            });
  }

  @Test
  void aRangeTombstoneOverNewerVersionsIsFound() {
    long hidden = tree(3, "a=1 b=9 c=2 d=8");
    edits.add(
        new ForestEdit.TreeAdded(
            1, 2, 200, List.of(sst("e=3", RangeTombstones.of(ascii("b"), ascii("d"), 7)))));
    tree(1, "d=12");

    assertThat(findings())
        .containsExactly(
            new Finding(
                FileKind.SST.path(directory, hidden),
                0,
                "key \"b\" has sequence number 9 here, but 7 in a range tombstone of tree 200,"
                    + " which has priority"));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  @Test
  void theSameVersionInTwoTreesIsFound() {
    tree(2, "a=5");
    tree(1, "a=5");

    assertThat(findings()).hasSize(1);
  }

  @Test
  void anSstThatCannotBeReadDoesNotKeepTheOthersFromBeingCompared() throws Exception {
    long hidden = tree(2, "a=4 b=5", "x=6");
    tree(1, "a=1", "x=2");
    Path damaged = FileKind.SST.path(directory, lastNumber);
    manifest();
    Directories.flip(damaged, 50);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .extracting(Finding::file)
        .containsExactly(damaged, FileKind.SST.path(directory, hidden));
  }

  @Test
  void aDamagedManifestKeepsNothingFromBeingVerified() throws Exception {
    tree(1, "a=1");
    manifest();
    Path manifest = Directories.files(directory, FileKind.MANIFEST).get(0);
    Directories.flip(manifest, 40);
    Path sst = FileKind.SST.path(directory, lastNumber);
    Directories.flip(sst, Files.size(sst) - 10);

    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .extracting(Finding::file)
        .containsExactly(manifest, sst);
  }

  /** Adds a tree, the newest of its stage, and returns the number of its first SST. */
  private long tree(int stage, String... ssts) {
    List<Sst> written = new ArrayList<>();
    for (String sst : ssts) {
      written.add(sst(sst));
    }
    edits.add(new ForestEdit.TreeAdded(1, stage, 100 + lastNumber, written));
    return written.get(0).number();
  }

  private Sst sst(String entries) {
    return sst(entries, null);
  }

  private Sst sst(String entries, @Nullable RangeTombstones ranges) {
    Memtable memtable = new Memtable(1 << 16);
    for (String entry : entries.split(" ", -1)) {
      int equals = entry.indexOf('=');
      byte[] key = entry.substring(0, equals).getBytes(US_ASCII);
      long sequence = Long.parseLong(entry.substring(equals + 1));
      memtable.add(Trailer.of(sequence, EntryKind.PUT), key, 0, key.length, key, 0, key.length);
    }
    lastNumber++;
    try (SstWriter writer =
            new SstWriter(
                SstAccess.mapped(fileSystem, directory, BlockCodecs.STANDARD),
                lastNumber,
                99 * lastNumber,
                1,
                Codecs.NONE,
                SstWriter.newStaging(),
                null);
        EntryIterator iterator = memtable.iterator()) {
      for (boolean valid = iterator.seekToFirst(); valid; valid = iterator.next()) {
        writer.add(iterator);
      }
      return new Sst(writer.finish(ranges, 0));
    }
  }

  private void manifest() {
    edits.add(new ForestEdit.NumbersReserved(1000));
    TestManifests.create(fileSystem, directory, 1, edits).close();
  }

  private List<Finding> findings() {
    manifest();
    CheckReport report = StoreCheck.run(directory, CheckProgress.NONE);
    assertThat(report.trees()).isEqualTo(edits.size() - 2);
    return report.findings();
  }
}
