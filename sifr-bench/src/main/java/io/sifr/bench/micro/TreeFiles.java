package io.sifr.bench.micro;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.merge.FlushTask;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.Sst;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** SSTs of about 2 MiB in a directory of their own, written like the engine's flushes. */
final class TreeFiles implements AutoCloseable {
  private static final long SPLIT_UNIT_BYTES = 2 << 20;
  private static final long WRITE_BUFFER_BYTES = 16 << 20;

  private final ScratchDirectory directory = new ScratchDirectory();
  private final StoreFileSystem fileSystem = new DiskFileSystem();
  private final AtomicLong numbers = new AtomicLong();
  private final SstAccess access =
      SstAccess.mapped(fileSystem, directory.path(), BlockCodecs.STANDARD);
  private final TaskEnvironment environment =
      new TaskEnvironment(
          new TaskEnvironment.Files(
              fileSystem,
              directory.path(),
              access,
              numbers::incrementAndGet,
              new SplittableRandom(0)::nextLong),
          new TaskEnvironment.Output(
              1,
              Codecs.NONE,
              0,
              new SstSizes(SPLIT_UNIT_BYTES, SPLIT_UNIT_BYTES, WRITE_BUFFER_BYTES, 0),
              Guards.NONE,
              0),
          new TaskEnvironment.Entries(EntryKinds.STANDARD, 0),
          TaskEnvironment.Progress.UNWATCHED);

  TreeFiles() throws IOException {}

  /** The environment of flushes and compactions in this directory. */
  TaskEnvironment environment() {
    return environment;
  }

  /** Writes the chosen entries as the SSTs of one tree. */
  List<SstMeta> write(Entries entries, IntPredicate chosen) {
    long entryBytes = Memtable.footprint(Entries.KEY_BYTES, Entries.MAX_VALUE_BYTES);
    Memtable memtable = new Memtable(entries.count() * entryBytes);
    IntStream.range(0, entries.count())
        .filter(chosen)
        .forEach(index -> PutRecord.of(entries, index, 1 + index).addTo(memtable));
    List<Sst> written =
        new FlushTask(environment, memtable, DeadSpans.NONE, new long[0], List.of()).run();
    close(written);
    return written.stream().map(Sst::meta).toList();
  }

  /** Opens SSTs as one tree. None of their blocks are checked yet. */
  LogicalTree open(List<SstMeta> metas) {
    List<Sst> ssts = metas.stream().map(Sst::new).toList();
    ssts.forEach(sst -> sst.open(access));
    return new LogicalTree(numbers.incrementAndGet(), ssts);
  }

  /** An iterator over all entries of a tree. */
  static RunIterator iterator(LogicalTree tree) {
    return new RunIterator(tree, 0, tree.slices().size() - 1, () -> false, ReadAhead.Helper.NONE);
  }

  /** Closes SSTs, whose files stay. */
  static void close(List<Sst> ssts) {
    ssts.forEach(sst -> sst.markObsolete(() -> {}));
  }

  /** Closes SSTs and deletes their files. */
  void delete(List<Sst> ssts) {
    ssts.forEach(
        sst ->
            sst.markObsolete(
                () -> fileSystem.delete(FileKind.SST.path(directory.path(), sst.number()))));
  }

  @Override
  public void close() throws IOException {
    directory.close();
  }
}
