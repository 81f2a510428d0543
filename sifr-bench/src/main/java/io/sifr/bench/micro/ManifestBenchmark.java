package io.sifr.bench.micro;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.manifest.Recovered;
import io.sifr.internal.sst.read.Sst;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Manifests of large forests, which have no other files. Syncs are included. */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
public class ManifestBenchmark extends MicroBenchmark {
  private static final int TREES = 17;
  private static final int OUTPUT_ID = TREES + 1;
  private static final int EDITS = 100;
  private static final int SSTS_OF_AN_EDIT = 10;

  /** Size of the forest on disk, if it had files, in GB. */
  @Param({"10", "100", "1000"})
  public int gigabytes;

  /** Size of the SSTs in MiB. */
  @Param({"2", "64"})
  public int sstMib;

  private final StoreFileSystem fileSystem = new DiskFileSystem();
  private ScratchDirectory written;
  private ScratchDirectory edited;
  private Catalog catalog;
  private long number;

  /** Writes a manifest that is only a snapshot, and one with edits after it. */
  @Setup
  public void write() throws IOException {
    written = new ScratchDirectory();
    edited = new ScratchDirectory();
    Forest forest = DrawnForest.of(gigabytes, sstMib, TREES);
    catalog = Catalog.EMPTY.apply(new ForestEdit.DatabaseCreated(1, "default"));
    for (int stage = 1; stage <= forest.stageCount(); stage++) {
      // The oldest first: each tree becomes the newest of its stage.
      List<LogicalTree> newestFirst = forest.stage(stage);
      for (int i = newestFirst.size() - 1; i >= 0; i--) {
        LogicalTree tree = newestFirst.get(i);
        catalog = catalog.apply(new ForestEdit.TreeAdded(1, stage, tree.id(), tree.slices()));
      }
    }
    number = catalog.nextNumber();
    try (Manifest manifest = Manifest.startNew(fileSystem, edited.path(), number, catalog)) {
      appendMerge(manifest, forest);
    }
    writeManifest();
  }

  /** The beginning of a compaction of the last stage: an edit for every ten SSTs it has written. */
  private static void appendMerge(Manifest manifest, Forest forest) {
    int stage = forest.stageCount();
    List<LogicalTree> inputs = forest.stage(stage);
    List<Long> ids = inputs.stream().map(LogicalTree::id).toList();
    manifest.append(
        List.of(
            new ForestEdit.CompactionBegun(
                1,
                new Compaction(
                    OUTPUT_ID, ids, OUTPUT_ID, Compaction.Shape.MOVES, List.of(KeySpan.ALL)),
                stage + 1)));
    int size = inputs.stream().mapToInt(tree -> tree.slices().size()).sum();
    List<Sst> output = DrawnForest.tree(OUTPUT_ID, 1, size).ssts();
    byte[] above = null;
    for (int i = 0; i < EDITS && (i + 1) * SSTS_OF_AN_EDIT < size; i++) {
      List<Sst> ssts = output.subList(i * SSTS_OF_AN_EDIT, (i + 1) * SSTS_OF_AN_EDIT);
      byte[] last = ssts.get(SSTS_OF_AN_EDIT - 1).largestKey();
      ForestEdit edit =
          new ForestEdit.CompactionProgressed(
              1, OUTPUT_ID, new KeySpan(above, last), ssts, List.of());
      if (manifest.room() > 1 << 14) {
        manifest.append(List.of(edit));
        above = last;
      }
    }
  }

  /** Deletes them. */
  @TearDown
  public void delete() throws IOException {
    written.close();
    edited.close();
  }

  /** A whole manifest is written, synced, read back, and made the current one. */
  @Benchmark
  public void writeManifest() {
    Manifest.startNew(fileSystem, written.path(), ++number, catalog).close();
  }

  /** A manifest is read, and its catalog made. */
  @Benchmark
  public Recovered read() {
    return Manifest.recover(fileSystem, written.path());
  }

  /** The same with up to a hundred edits of large trees after the snapshot. */
  @Benchmark
  public Recovered readEdits() {
    return Manifest.recover(fileSystem, edited.path());
  }
}
