package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.backup.BackupPoint.CopiedFile;
import io.sifr.internal.backup.BackupPoint.SharedFile;
import io.sifr.internal.engine.Capture;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.value.ValueFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory with points to which stores can be restored. An SST is there once, however many
 * points hold it; a new point copies those that no other has. A file belongs to a point only when
 * the point's list names it, and the list gets its name when everything in it is durable: what is
 * killed before leaves files that no list names, which the next change deletes.
 */
public final class Backup {
  private static final Logger LOG = LoggerFactory.getLogger(Backup.class);

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final BackupFiles files;

  /** The backup in a directory, whether there is one or not. */
  public Backup(StoreFileSystem fileSystem, Path directory) {
    this.fileSystem = fileSystem;
    this.directory = directory.toAbsolutePath().normalize();
    this.files = new BackupFiles(fileSystem, this.directory);
  }

  /**
   * A point, as users see it.
   *
   * @param number counted from 1
   * @param taken when
   * @param databases names of the databases
   * @param ssts how many SSTs it holds
   * @param bytes of the store that is restored from it
   * @param copiedBytes bytes copied for it
   */
  public record Summary(
      long number, Instant taken, List<String> databases, int ssts, long bytes, long copiedBytes) {}

  private static Summary summary(BackupPoint point) {
    return new Summary(
        point.number(),
        point.taken(),
        point.databases(),
        point.ssts(),
        point.bytes(),
        point.copiedBytes());
  }

  /** Numbers of the points, ascending. */
  public List<Long> numbers() {
    files.requireBackup();
    return files.numbers();
  }

  public Summary point(long number) {
    return summary(read(number));
  }

  private BackupPoint read(long number) {
    List<Long> numbers = numbers();
    if (!numbers.contains(number)) {
      throw new IllegalArgumentException(
          directory + " holds no point " + number + "; it holds " + numbers);
    }
    return PointFile.read(fileSystem, files.point(number), number);
  }

  // Creating.

  /** Adds a point with what an open store holds now. */
  public Summary create(StoreEngine engine, ByteProgress progress) {
    Places.requireOutside(fileSystem, directory, engine.directory());
    engine.checkWritable();
    files.createIfMissing();
    try (DirectoryLock lock = files.lock()) {
      Map<String, SharedFile> present = cleanUp();
      long number = files.largestNumber() + 1;
      try {
        return create(engine, number, present, progress);
      } catch (RuntimeException | Error e) {
        discard(number, e);
        throw e;
      }
    }
  }

  private Summary create(
      StoreEngine engine, long number, Map<String, SharedFile> present, ByteProgress progress) {
    Path own = files.point(number);
    fileSystem.createDirectories(own);
    fileSystem.syncDirectory(files.points());
    try (Capture capture = engine.capture()) {
      Instant taken = Instant.now();
      FileCopy copies = new FileCopy(engine.fileSystem(), fileSystem, capture::checkGoesOn);
      capture.copyLog(own);
      Creation creation = new Creation(engine.directory(), capture, copies, present, progress);
      capture.forEachSst(creation::add);
      fileSystem.syncDirectory(files.ssts());
      capture.writeManifest(own);
      List<CopiedFile> ownFiles = new ArrayList<>();
      long ownBytes = 0;
      for (String name : fileSystem.list(own)) {
        long bytes = fileSystem.size(own.resolve(name));
        ownFiles.add(new CopiedFile(name, bytes, copies.checksum(own.resolve(name), bytes)));
        ownBytes += bytes;
      }
      // In an encrypted backup no name can be read.
      List<String> databases =
          engine.fileSystem().keys().current() != 0
              ? List.of()
              : capture.catalog().forests().stream().map(Forest::name).sorted().toList();
      BackupPoint point =
          new BackupPoint(
              number, taken, databases, creation.copied + ownBytes, creation.shared, ownFiles);
      PointFile.write(fileSystem, own, point);
      return summary(point);
    }
  }

  /** Copies the SSTs and the value files that are missing. */
  private final class Creation {
    private final Path source;
    private final Capture capture;
    private final FileCopy copies;
    private final Map<String, SharedFile> present;
    private final ByteProgress progress;
    private final long total;
    private final List<SharedFile> shared = new ArrayList<>();

    /** Numbers of the value files among them. */
    private final Set<Long> values = new HashSet<>();

    private long done;
    private long copied;

    Creation(
        Path source,
        Capture capture,
        FileCopy copies,
        Map<String, SharedFile> present,
        ByteProgress progress) {
      this.source = source;
      this.capture = capture;
      this.copies = copies;
      this.present = present;
      this.progress = progress;
      this.total = capture.catalog().bytes() + valueFileBytes();
    }

    private long valueFileBytes() {
      return capture.catalog().forests().stream()
          .flatMap(forest -> forest.ssts().stream())
          .flatMap(sst -> sst.meta().values().stream())
          .map(ValueUse::file)
          .distinct()
          .mapToLong(number -> capture.values(number).bytes())
          .sum();
    }

    void add(Sst sst) {
      SstMeta meta = sst.meta();
      add(
          FileKind.SST,
          meta.number(),
          meta.uniqueId(),
          meta.fileBytes(),
          () -> capture.verify(sst));
      for (ValueUse use : meta.values()) {
        if (values.add(use.file())) {
          ValueFile file = capture.values(use.file());
          add(FileKind.VALUES, use.file(), file.uniqueId(), file.bytes(), file::verify);
        }
      }
    }

    private void add(FileKind kind, long number, long uniqueId, long bytes, Runnable verify) {
      String name = SharedFile.nameOf(kind, number, uniqueId);
      SharedFile known = present.get(name);
      if (known != null && known.bytes() == bytes && isThere(known)) {
        shared.add(known);
      } else {
        Path copy = files.ssts().resolve(name);
        fileSystem.delete(copy);
        int checksum = copies.copy(kind.path(source, number), copy, bytes, bytes);
        verify.run();
        shared.add(new SharedFile(kind, number, uniqueId, bytes, checksum));
        copied += bytes;
      }
      done += bytes;
      progress.done(done, total);
    }
  }

  private boolean isThere(SharedFile sst) {
    Path file = files.ssts().resolve(sst.name());
    return fileSystem.exists(file) && fileSystem.size(file) == sst.bytes();
  }

  /** Deletes what is left of a point; that its list may have its name does not make it one. */
  private void discard(long number, Throwable cause) {
    try {
      fileSystem.delete(files.point(number).resolve(PointFile.NAME));
      var unused = cleanUp();
    } catch (SifrException e) {
      cause.addSuppressed(e); // the next change tries again
    }
  }

  /**
   * Deletes what no point holds. As long as a point cannot be read, it is not known what it holds,
   * and all SSTs stay.
   *
   * @return the SSTs of the points, by name
   */
  private Map<String, SharedFile> cleanUp() {
    Map<String, SharedFile> held = new HashMap<>();
    boolean allKnown = true;
    List<Long> numbers = files.numbers();
    for (long number : numbers) {
      try {
        PointFile.read(fileSystem, files.point(number), number)
            .shared()
            .forEach(sst -> held.put(sst.name(), sst));
      } catch (CorruptionException e) {
        LOG.warn("nothing that point {} may hold is deleted: {}", number, e.getMessage());
        allKnown = false;
      }
    }
    files.deleteAllBut(numbers);
    if (allKnown) {
      deleteSstsExcept(held.keySet());
    }
    return held;
  }

  private void deleteSstsExcept(Set<String> held) {
    for (String name : fileSystem.list(files.ssts())) {
      if (!held.contains(name)) {
        fileSystem.delete(files.ssts().resolve(name));
      }
    }
  }

  /** Deletes a point, and the SSTs that no other one holds. */
  public void delete(long number) {
    files.requireBackup();
    try (DirectoryLock lock = files.lock()) {
      if (!files.numbers().contains(number)) {
        var unused = read(number); // which says what there is
      }
      // From then on it is no point, whatever is left of it.
      fileSystem.delete(files.point(number).resolve(PointFile.NAME));
      fileSystem.syncDirectory(files.point(number));
      var unused = cleanUp();
    }
  }

  // Reading.

  /**
   * Reads all files of a point.
   *
   * @throws CorruptionException when one is missing or damaged
   */
  public void verify(long number, ByteProgress progress) {
    files.requireBackup();
    try (DirectoryLock lock = files.lockForReading()) {
      new PointReader(fileSystem, files, read(number), progress).verify();
    }
  }

  /** Makes a store from a point, see {@link io.sifr.Backups#restore}. */
  public void restore(long number, Path target, ByteProgress progress) {
    files.requireBackup();
    Places.requireOutside(fileSystem, target, fileSystem.realPath(directory));
    try (DirectoryLock lock = files.lockForReading()) {
      PointReader reader = new PointReader(fileSystem, files, read(number), progress);
      try (NewStore store = NewStore.begin(fileSystem, target)) {
        reader.restore(store.directory());
        store.finish();
      }
    }
  }
}
