package io.sifr.inspect.salvage;

import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.offline.SourceFileSystem;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.spi.EncryptionKeys;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Rescues what is intact of a damaged store into a new one, and reports what is lost. The damaged
 * store is only read.
 *
 * <p>It rescues
 *
 * <ul>
 *   <li>all blocks of SSTs with valid checksums, even if header, footer or index are damaged;
 *   <li>all values in value files, those of keys whose entries are lost among them;
 *   <li>all range deletes that an SST or a record of the log still has; those of an SST are lost
 *       with its properties, and listed if the manifest says that there were some;
 *   <li>all whole records of the log, also after damage; operations that are in the trees already
 *       are taken from the log only for keys that are lost there;
 *   <li>the databases with their names, as far as the manifest can be read. Without it, SSTs and
 *       log still contain the number of the database; the first is always {@code default}, the
 *       others become {@code salvaged-2} and so on. An SST for which even that is unknown becomes a
 *       database of its own, {@code salvaged-sst-17} for {@code 000000000017.sst}.
 * </ul>
 *
 * <p>The manifest that CURRENT names determines which SSTs are needed; without CURRENT, the newest
 * manifest that begins with a whole snapshot. If nothing of it is missing, no other SST is used. If
 * edits are missing, those after the damage still count, and SSTs that no edit names are used as
 * well.
 *
 * <p><b>Guarantees.</b> For each key the intact version with the largest sequence number counts,
 * wherever it is; if that is a deletion, the key has no value. So:
 *
 * <ul>
 *   <li>Every value in the new store was written to its key at some time.
 *   <li>If the manifest can be read without a gap, each key that lies in no {@link LostPiece} has
 *       the value it had, or none if it had none.
 *   <li>A key that lies in a lost piece may be missing, or have an <em>older</em> value than it
 *       had, or have a value although it was deleted: the newest version or the deletion may have
 *       been in the piece. The report states for each piece how many rescued entries may be
 *       affected.
 *   <li>A lost piece of the log may affect any key: later writes to it may be missing. Writes after
 *       the piece are rescued although earlier ones are lost, and a batch of writes is rescued as a
 *       whole or not at all as long as all its operations come from the log.
 *   <li>If edits of the manifest are lost, or all of it, an obsolete SST, whose compaction was done
 *       but which was not deleted before the process ended, cannot be distinguished from one that
 *       is needed. Its entries are older than those of the compaction's output, which override
 *       them, except where the compaction dropped a deletion: so a deleted key may come back.
 *       Dropped databases may come back in the same way.
 * </ul>
 *
 * <p>Databases keep their options, and values that expire their times. Their indexes are not
 * rescued: they are built when the new store is opened. Operands of a merge operator are rescued as
 * they are, so the operator need not be known here. An operand that is lost is missing in the
 * value; and if edits of the manifest are lost, one that lies in an obsolete SST may count twice.
 *
 * <p>Sequence numbers and snapshots are not kept: the new store has one version of each key, or its
 * operands. Afterwards check the new store with {@link io.sifr.inspect.check.StoreCheck}; keep the
 * damaged one until you know that nothing is missing.
 */
public final class Salvage {
  private final StoreFileSystem targetFiles;
  private final SourceFileSystem files;
  private final OfflineStore store;
  private final CheckProgress progress;
  private final Set<Finding> notes = new LinkedHashSet<>();
  private final Losses losses = new Losses();

  private Salvage(OfflineStore source, CheckProgress progress) {
    this.targetFiles = source.fileSystem();
    this.files = new SourceFileSystem(targetFiles);
    this.store = new OfflineStore(files, targetFiles.realPath(source.directory()), source.codecs());
    this.progress = progress;
  }

  /**
   * Rescues a store. Prevents it from being opened meanwhile. If this fails, the target is left as
   * it was.
   *
   * @param source directory of the damaged store, which must not be open; nothing is written to it
   * @param target directory for the new store: one that does not exist, or an empty one
   * @param progress receives the progress
   * @throws IllegalArgumentException when the source holds nothing of a store, or the target is not
   *     empty or lies in the source
   * @throws io.sifr.error.ForeignDirectoryException when it is a directory of LevelDB or RocksDB
   * @throws io.sifr.error.StoreLockedException when the source is open
   * @throws io.sifr.error.UnsupportedFormatException when a newer version of Sifr wrote it
   * @throws io.sifr.error.StoreFullException when there is not enough space for the new store
   * @throws StoreIoException when the source cannot be listed or the target cannot be written.
   *     Unreadable pages of the source are no failure: they are lost
   */
  public static SalvageReport run(Path source, Path target, CheckProgress progress) {
    return run(source, target, EncryptionKeys.NONE, progress);
  }

  /**
   * Rescues a store that may be encrypted; the new one is, with the current key.
   *
   * @param keys that the files of the damaged store may be encrypted with
   * @throws io.sifr.error.EncryptionKeyException when a key is missing, or is another one
   */
  public static SalvageReport run(
      Path source, Path target, EncryptionKeys keys, CheckProgress progress) {
    return run(
        OfflineStore.onDisk(source, keys), DiskFileSystem.requireOwn("target", target), progress);
  }

  static SalvageReport run(OfflineStore source, Path target, CheckProgress progress) {
    if (!source.exists(source.directory())) {
      throw new IllegalArgumentException(source.directory() + " does not exist");
    }
    Salvage salvage = new Salvage(source, progress);
    if (!salvage.holdsSomething()) {
      source.refuseForeign();
      throw new IllegalArgumentException(source.directory() + " holds nothing of a store");
    }
    Path real = salvage.store.directory();
    try (DirectoryLock lock = salvage.store.lockForReading();
        SalvageTarget prepared = SalvageTarget.prepare(source.fileSystem(), real, target)) {
      return salvage.into(prepared);
    }
  }

  private boolean holdsSomething() {
    return Stream.of(FileKind.values()).anyMatch(kind -> !store.numbers(kind).isEmpty());
  }

  private long bytes(FileKind kind) {
    return store.numbers(kind).stream()
        .mapToLong(number -> store.size(store.path(kind, number)))
        .sum();
  }

  private SalvageReport into(SalvageTarget target) {
    try (ValueSalvage values = new ValueSalvage(store, losses, notes)) {
      return into(target, values);
    }
  }

  private SalvageReport into(SalvageTarget target, ValueSalvage values) {
    long otherBytes = bytes(FileKind.WAL) + bytes(FileKind.MANIFEST);
    SalvageMeter meter = new SalvageMeter(progress, 2 * bytes(FileKind.SST) + otherBytes);

    StoreKnowledge knowledge = knowledge();
    DatabaseNames names = new DatabaseNames(store.directory(), knowledge, notes);
    SstSalvage ssts = new SstSalvage(store, knowledge.isWhole(), names, losses, notes);
    List<SourceSst> sources = new ArrayList<>(knowledge.ssts());
    sources.addAll(unnamed(knowledge).taken());
    for (SourceSst source : sources) {
      ssts.read(source);
      Path file = store.path(FileKind.SST, source.number());
      meter.add(store.exists(file) ? store.size(file) : 0);
    }
    LogSpill spill = new LogSpill(targetFiles, target.logEntries());
    values.addLost(names, spill);
    LogSalvage log = new LogSalvage(store, knowledge, names, losses, notes, spill);
    log.run();
    meter.add(otherBytes);

    Map<String, List<SalvagedSst>> sorted = new TreeMap<>(ssts.byDatabase());
    spill.finish().forEach((name, more) -> sorted.merge(name, more, (a, b) -> join(a, b)));
    Map<String, List<RangeTombstones>> ranges = new TreeMap<>(ssts.rangesByDatabase());
    spill
        .rangesByDatabase()
        .forEach((name, more) -> ranges.merge(name, more, (a, b) -> join(a, b)));
    List<SalvagedDatabase> databases =
        write(target, names.options(), sorted, ranges, values, meter);
    files.forEachUnreadable(
        (file, offset, bytes, why) ->
            notes.add(
                new Finding(file, offset, "pages of " + bytes + " bytes cannot be read: " + why)));
    target.publish();
    return new SalvageReport(
        databases,
        ssts.ssts(),
        log.records(),
        bytes(FileKind.SST) + otherBytes,
        losses.toPieces(),
        List.copyOf(notes));
  }

  private static <T> List<T> join(List<T> a, List<T> b) {
    List<T> both = new ArrayList<>(a);
    both.addAll(b);
    return both;
  }

  private StoreKnowledge knowledge() {
    StoreKnowledge read = new ManifestSurvey(store, notes).run();
    if (!read.isWhole() || !unnamed(read).proveLostEdits()) {
      return read;
    }
    notes.add(
        new Finding(
            store.directory(),
            0,
            "there are SSTs that the manifest does not name, and they are newer than all it knows"
                + " of or others that it names are missing: it seems to have lost its last edits,"
                + " and SSTs that it does not name are taken as well"));
    return read.withLostEdits();
  }

  private UnnamedSsts unnamed(StoreKnowledge knowledge) {
    return new UnnamedSsts(store, knowledge);
  }

  private List<SalvagedDatabase> write(
      SalvageTarget target,
      Map<String, DatabaseOptions> options,
      Map<String, List<SalvagedSst>> ssts,
      Map<String, List<RangeTombstones>> ranges,
      ValueSalvage values,
      SalvageMeter meter) {
    SortedSet<String> all = new TreeSet<>(options.keySet());
    all.addAll(ssts.keySet());
    List<SalvagedDatabase> written = new ArrayList<>();
    try (StoreEngine engine =
        Opening.open(
            Extensions.of(StoreOptions.DEFAULT)
                .with(Extensions.Operators.LENIENT)
                .with(InstantSource.fixed(Instant.EPOCH)), // so that nothing expires
            targetFiles,
            target.store(),
            StoreOptions.DEFAULT,
            StoreListener.NONE,
            null)) {
      for (String name : all) {
        RangeTombstones deleted = RangeTombstones.merged(ranges.getOrDefault(name, List.of()));
        NewestVersions newest =
            new NewestVersions(
                SalvagedRun.over(ssts.getOrDefault(name, List.of()), meter), deleted);
        written.add(
            write(
                engine, name, options.getOrDefault(name, DatabaseOptions.DEFAULT), newest, values));
      }
      engine.flush();
    }
    return written;
  }

  /** Writes the newest version of each key, unless it is a deletion. */
  private SalvagedDatabase write(
      StoreEngine engine,
      String name,
      DatabaseOptions options,
      NewestVersions versions,
      ValueSalvage values) {
    Losses.Sweep sweep = losses.sweep(name);
    long entries = 0;
    long bytes = 0;
    try (NewestVersions newest = versions) {
      DatabaseHandle database = engine.openOrCreateDatabase(name, withoutIndexes(options));
      while (newest.next()) {
        byte[] key = newest.key();
        List<NewestVersions.Version> found =
            values.whole(name, key, newest.sequence(), newest.versions());
        if (!found.isEmpty()) {
          BatchBuffer batch = new BatchBuffer();
          for (int i = found.size() - 1; i >= 0; i--) {
            batch.add(database, found.get(i).kind(), key, found.get(i).value());
          }
          engine.writes().write(batch, WriteOptions.UNLOGGED);
          sweep.rescued(key, 0, key.length, newest.sequence());
          entries++;
          bytes += batch.operations().rawBytes();
        }
      }
    }
    // Only now: what the extractors say is not known here. Its indexes are built when it is opened.
    engine.alterDatabase(name, options);
    return new SalvagedDatabase(name, entries, bytes);
  }

  private static DatabaseOptions withoutIndexes(DatabaseOptions options) {
    DatabaseOptions.Builder without = options.toBuilder();
    options.indexes().forEach(index -> without.withoutIndex(index.name()));
    return without.build();
  }
}
