package io.sifr.inspect.check;

import io.sifr.config.DatabaseOptions;
import io.sifr.error.CorruptionException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.manifest.Recovered;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.readonly.Moment;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.Databases;
import io.sifr.internal.util.KeyText;
import io.sifr.spi.EncryptionKeys;
import io.sifr.spi.IndexExtractor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads all files of a store that is not open, or of {@linkplain #runReadOnly one that is}, byte by
 * byte, and reports what is wrong:
 *
 * <ul>
 *   <li>damage: a wrong checksum, length, order or reference;
 *   <li>missing files, and orphaned SSTs, value files and manifests;
 *   <li>files that are sound but not the ones the manifest describes;
 *   <li>a version of a key that hides a newer one (I1);
 *   <li>a filter that rules out a key of its SST, and damage to filters, which costs no data.
 * </ul>
 *
 * <p>What a killed process leaves is no fault: a log that ends in the middle of a record, log
 * segments prepared or kept for reuse, outputs of compactions that were not committed and inputs of
 * those that were. The next open cleans them up.
 */
public final class StoreCheck {
  /** What is not part of a moment. */
  private static final List<String> NOT_SEEN =
      List.of(
          "files that are not needed: the process that has the store open may be writing them, or"
              + " about to delete them",
          "log that is only retained for readers of changes",
          "values in a file that is being written to, except those to which the log refers");

  private final OfflineStore store;
  private final Findings findings = new Findings();
  private final CheckedFiles files;

  /** The value files that SSTs and the log refer to. */
  private final Set<Long> referredTo = new HashSet<>();

  private long entries;

  /** True if the manifest says that the log was closed in order. */
  private boolean isLogClosed;

  private StoreCheck(OfflineStore store, CheckProgress progress) {
    this.store = store;
    this.files = new CheckedFiles(store, progress);
  }

  /**
   * Checks a store. Holds the directory's lock meanwhile, and writes nothing but the lock file.
   *
   * @param directory the store's directory
   * @param progress receives the progress
   * @return the result; a damaged, missing or unreadable file is a finding and no exception
   * @throws IllegalArgumentException when the directory holds no store
   * @throws io.sifr.error.ForeignDirectoryException when it is one of LevelDB or RocksDB
   * @throws io.sifr.error.StoreLockedException when the store is open, see {@link #runReadOnly}
   * @throws io.sifr.error.StoreIoException when the directory cannot be listed or locked
   */
  public static CheckReport run(Path directory, CheckProgress progress) {
    return run(directory, EncryptionKeys.NONE, progress);
  }

  /**
   * Checks a store that may be encrypted.
   *
   * @param keys that its files may be encrypted with
   * @throws io.sifr.error.EncryptionKeyException when a key is missing, or is another one
   */
  public static CheckReport run(Path directory, EncryptionKeys keys, CheckProgress progress) {
    return run(OfflineStore.onDisk(directory, keys), progress);
  }

  /**
   * Checks a store, and compares its indexes with the entries that they are to find, if its files
   * are sound: an entry that an index lacks is a finding, and so is a key that a unique index has
   * twice.
   *
   * @param extractors those of indexes; one whose extractor is not among them is not compared, nor
   *     one that is not built
   */
  public static CheckReport run(
      Path directory,
      EncryptionKeys keys,
      Collection<IndexExtractor> extractors,
      CheckProgress progress) {
    return run(OfflineStore.onDisk(directory, keys), extractors, progress);
  }

  /**
   * The result of the check of a store that may be open.
   *
   * @param report of what was checked
   * @param notChecked what could not be checked, in words
   */
  public record OfMoment(CheckReport report, List<String> notChecked) {
    /** An immutable copy. */
    public OfMoment {
      notChecked = List.copyOf(notChecked);
    }
  }

  /**
   * Checks a store that another process may have open, as it is at one moment, see {@link
   * io.sifr.Store.Builder#openReadOnly}. Writes nothing, and locks nothing. Files that are deleted
   * meanwhile are checked all the same. What cannot be checked so is in the report.
   *
   * @param extractors as above; none: indexes are not compared
   * @throws io.sifr.error.SifrException when the store is changed so often that it cannot be seen
   *     as it is at one moment
   */
  public static OfMoment runReadOnly(
      Path directory,
      EncryptionKeys keys,
      Collection<IndexExtractor> extractors,
      CheckProgress progress) {
    return runReadOnly(OfflineStore.onDisk(directory, keys), extractors, progress);
  }

  static OfMoment runReadOnly(
      OfflineStore store, Collection<IndexExtractor> extractors, CheckProgress progress) {
    requireStore(store);
    Path real = store.fileSystem().realPath(store.directory());
    try (Moment moment = Moment.now(store.fileSystem(), real)) {
      OfflineStore seen = new OfflineStore(moment.files(), real, store.codecs());
      return new OfMoment(checked(seen, extractors, progress), NOT_SEEN);
    } catch (CorruptionException e) {
      List<Finding> found = List.of(new Finding(e.file(), e.offset(), e.what()));
      return new OfMoment(
          new CheckReport(0, 0, 0, 0, 0, 0, found),
          List.of("anything else, as that has to be read first"));
    }
  }

  private static void requireStore(OfflineStore store) {
    if (!holdsStore(store)) {
      throw new IllegalArgumentException(store.directory() + " holds no store");
    }
  }

  static CheckReport run(
      OfflineStore store, Collection<IndexExtractor> extractors, CheckProgress progress) {
    requireStore(store);
    try (DirectoryLock lock = store.lock()) {
      return checked(store, extractors, progress);
    }
  }

  private static CheckReport checked(
      OfflineStore store, Collection<IndexExtractor> extractors, CheckProgress progress) {
    StoreCheck check = new StoreCheck(store, progress);
    CheckReport ofFiles = check.check();
    if (!ofFiles.findings().isEmpty() || extractors.isEmpty()) {
      return ofFiles;
    }
    check.findings.examine(
        store.directory(), () -> new IndexCheck(store, check.findings).run(extractors));
    return ofFiles.with(check.findings.all());
  }

  static CheckReport run(OfflineStore store, CheckProgress progress) {
    return run(store, List.of(), progress);
  }

  private static boolean holdsStore(OfflineStore store) {
    try {
      return store.holdsStore();
    } catch (CorruptionException e) {
      return true; // one without CURRENT, which the check reports
    }
  }

  private CheckReport check() {
    Catalog catalog = checkManifests();
    int ssts = catalog == null ? checkLoneSsts() : checkForests(catalog);
    long records = checkLog(catalog);
    if (catalog != null) {
      referredTo.forEach(number -> files.done(FileKind.VALUES, number));
      noteOrphans(FileKind.VALUES, referredTo, catalog, "nothing refers to this value file");
    }
    files.numbers(FileKind.WAL).forEach(number -> files.done(FileKind.WAL, number));
    List<Forest> forests = catalog == null ? List.of() : List.copyOf(catalog.forests());
    return new CheckReport(
        (int) forests.stream().filter(forest -> !IndexName.isOne(forest.name())).count(),
        forests.stream().mapToInt(forest -> forest.byPriority().size()).sum(),
        ssts,
        entries,
        records,
        files.doneBytes(),
        findings.all());
  }

  /** Reads the manifests. Returns the catalog, or null when it cannot be determined. */
  private @Nullable Catalog checkManifests() {
    List<Recovered> recovered = new ArrayList<>();
    boolean known = findings.examine(store.directory(), () -> recovered.add(store.readManifest()));
    if (!known) {
      files.numbers(FileKind.MANIFEST).forEach(this::checkLoneManifest);
      return null;
    }
    Catalog catalog = recovered.get(0).catalog();
    long current = recovered.get(0).current().number();
    files.done(FileKind.MANIFEST, current);
    isLogClosed =
        catalog.logClosed() != null
            || files.numbers(FileKind.WAL).stream().allMatch(catalog::isRetained);
    Path manifest = store.path(FileKind.MANIFEST, current);
    findings.examine(manifest, () -> Databases.check(manifest, catalog));
    catalog.forests().stream()
        .map(Forest::name)
        .filter(name -> !DatabaseOptions.isAllowedName(name) && !isDeclared(catalog, name))
        .forEach(name -> findings.add(manifest, 0, "no database may be named " + shown(name)));
    noteOrphans(FileKind.MANIFEST, Set.of(current), catalog, "CURRENT names another manifest");
    return catalog;
  }

  /** Whether it is the name of a database with an index that another one declares. */
  private static boolean isDeclared(Catalog catalog, String name) {
    return IndexName.isOne(name)
        && catalog.forests().stream()
            .filter(forest -> forest.name().equals(IndexName.databaseOf(name)))
            .flatMap(forest -> forest.options().indexes().stream())
            .anyMatch(index -> index.name().equals(IndexName.indexOf(name)));
  }

  private static String shown(String name) {
    return KeyText.of(name.getBytes(StandardCharsets.UTF_8));
  }

  /** It is not known which manifest is current, or the current one is damaged. */
  private void checkLoneManifest(long number) {
    findings.examine(
        store.path(FileKind.MANIFEST, number),
        () -> store.showManifest(number, (offset, bytes, group, editOffsets) -> {}));
    files.done(FileKind.MANIFEST, number);
  }

  /** Without a manifest, SSTs can only be checked for damage. */
  private int checkLoneSsts() {
    try (SstCheck check = new SstCheck(store, findings)) {
      List<Long> numbers = files.numbers(FileKind.SST);
      for (long number : numbers) {
        entries += check.lone(number);
        files.done(FileKind.SST, number);
      }
      for (long number : files.numbers(FileKind.VALUES)) {
        var unused = check.isSound(number);
        files.done(FileKind.VALUES, number);
      }
      return numbers.size();
    }
  }

  private long checkLog(@Nullable Catalog catalog) {
    try (LogCheck log = new LogCheck(store, findings, catalog)) {
      log.run(files.numbers(FileKind.WAL));
      referredTo.addAll(log.valueFiles());
      return log.records();
    }
  }

  private int checkForests(Catalog catalog) {
    Set<Long> held = new HashSet<>();
    try (SstCheck check = new SstCheck(store, findings)) {
      for (Forest forest : catalog.forests()) {
        for (Sst sst : forest.ssts()) {
          held.add(sst.number());
          sst.meta().values().forEach(use -> referredTo.add(use.file()));
          entries += sst.meta().entries();
          boolean isMadeAgain = catalog.history() != null && sst.meta().logged() != null;
          check.held(forest, sst.meta(), isMadeAgain);
          files.done(FileKind.SST, sst.number());
        }
        findings.examine(
            store.directory(),
            () -> new PriorityCheck(store, forest, check.unusable()).run(findings));
      }
    }
    noteOrphans(FileKind.SST, held, catalog, "no tree holds this SST");
    return held.size();
  }

  /** Whether the store was not closed: then there is a log whose end is not recorded. */
  private boolean isKilled() {
    return !isLogClosed && !files.numbers(FileKind.WAL).isEmpty();
  }

  /**
   * Notes orphaned files. A killed process leaves such, and the next open deletes them; but then
   * there is a log too, and their numbers were reserved.
   */
  private void noteOrphans(FileKind kind, Set<Long> known, Catalog catalog, String what) {
    boolean killed = isKilled();
    for (long number : files.numbers(kind)) {
      if (!known.contains(number)) {
        files.done(kind, number);
        if (!killed || number >= catalog.nextNumber()) {
          findings.add(store.path(kind, number), 0, what + "; the next opening deletes it");
        }
      }
    }
  }
}
