package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.error.EncryptionKeyException;
import io.sifr.internal.backup.BackupPoint.CopiedFile;
import io.sifr.internal.backup.BackupPoint.SharedFile;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** Reads a point of a backup, to verify it or to make a store of it. Used by one thread. */
final class PointReader {
  private final StoreFileSystem fileSystem;
  private final BackupFiles files;
  private final BackupPoint point;
  private final Path own;
  private final ByteProgress progress;
  private final FileCopy copies;
  private long done;

  PointReader(
      StoreFileSystem fileSystem, BackupFiles files, BackupPoint point, ByteProgress progress) {
    this.fileSystem = fileSystem;
    this.files = files;
    this.point = point;
    this.own = files.point(point.number());
    this.progress = progress;
    this.copies = new FileCopy(fileSystem, () -> {});
  }

  /** Reads all files, and compares them with the list. */
  void verify() {
    checkList();
    for (CopiedFile file : point.files()) {
      Path path = own.resolve(file.name());
      requireThere(path, file.bytes());
      requireSame(path, file.checksum(), copies.checksum(path, file.bytes()));
      advance(file.bytes());
    }
    for (SharedFile file : point.shared()) {
      Path path = files.ssts().resolve(file.name());
      requireThere(path, file.bytes());
      requireSame(path, file.checksum(), copies.checksum(path, file.bytes()));
      advance(file.bytes());
    }
  }

  /** Copies all files, and compares them with the list; CURRENT comes last. */
  void restore(Path target) {
    checkList();
    for (CopiedFile file : point.files()) {
      if (!Current.isNameOf(file.name())) {
        copy(own.resolve(file.name()), target.resolve(file.name()), file.bytes(), file.checksum());
      }
    }
    for (SharedFile file : point.shared()) {
      copy(
          files.ssts().resolve(file.name()),
          file.kind().path(target, file.number()),
          file.bytes(),
          file.checksum());
    }
    fileSystem.syncDirectory(target);
    Current.read(fileSystem, own).make(fileSystem, target);
  }

  private void copy(Path from, Path to, long bytes, int checksum) {
    requireThere(from, bytes);
    requireSame(from, checksum, copies.copy(from, to, bytes, bytes));
    advance(bytes);
  }

  private void advance(long bytes) {
    done += bytes;
    progress.done(done, point.bytes());
  }

  private void requireThere(Path file, long bytes) {
    if (!fileSystem.exists(file)) {
      throw new CorruptionException(
          file, 0, "the file is missing, and point " + point.number() + " needs it");
    }
    long size = fileSystem.size(file);
    if (size != bytes) {
      throw new CorruptionException(
          file, Math.min(size, bytes), "the file has " + size + " bytes, not " + bytes);
    }
  }

  private static void requireSame(Path file, int expected, int actual) {
    if (expected != actual) {
      throw CorruptionException.checksum(file, 0, "the file", expected, actual);
    }
  }

  /**
   * The manifest has to name the SSTs and value files that the list names. That of an encrypted
   * store cannot be read, as nobody needs a key here.
   */
  private void checkList() {
    Catalog catalog;
    try {
      catalog = Manifest.recover(fileSystem, own).catalog();
    } catch (EncryptionKeyException e) {
      return;
    }
    Set<String> listed = new HashSet<>();
    for (SharedFile file : point.shared()) {
      boolean isSst = file.kind() == FileKind.SST;
      listed.add(isSst ? file.name() : FileKind.VALUES.fileName(file.number()));
    }
    Set<String> held = new HashSet<>();
    for (Forest forest : catalog.forests()) {
      for (Sst sst : forest.ssts()) {
        SstMeta meta = sst.meta();
        held.add(SharedFile.nameOf(FileKind.SST, meta.number(), meta.uniqueId()));
        meta.values().forEach(use -> held.add(FileKind.VALUES.fileName(use.file())));
      }
    }
    if (!listed.equals(held)) {
      throw new CorruptionException(
          own.resolve(PointFile.NAME), 0, "it names other files than the manifest of the point");
    }
  }
}
