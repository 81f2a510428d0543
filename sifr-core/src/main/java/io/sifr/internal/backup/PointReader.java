package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.error.EncryptionKeyException;
import io.sifr.internal.backup.BackupPoint.CopiedFile;
import io.sifr.internal.backup.BackupPoint.SharedFile;
import io.sifr.internal.backup.ObjectAccess.Sink;
import io.sifr.internal.engine.StoreFileNames;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.io.memory.MemoryFileSystem;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32C;

/** Reads a point of a backup, to verify it or to make a store of it. Used by one thread. */
final class PointReader {
  private static final int BUFFER_BYTES = 1 << 20;

  private final ObjectAccess objects;
  private final StoreFileSystem fileSystem;
  private final BackupPoint point;
  private final ByteProgress progress;
  private final byte[] buffer = new byte[BUFFER_BYTES];

  /** Has CURRENT and the manifest, when they were read. */
  private final MemoryFileSystem memory;

  private long done;

  PointReader(BackupSite site, BackupPoint point, ByteProgress progress) {
    this.objects = site.objects();
    this.fileSystem = site.fileSystem();
    this.point = point;
    this.progress = progress;
    this.memory = new MemoryFileSystem(fileSystem);
  }

  /** Reads all files, and compares them with the list. */
  void verify() {
    checkList();
    for (CopiedFile file : point.files()) {
      read(own(file), file.bytes(), file.checksum(), (piece, length) -> {});
      advance(file.bytes());
    }
    for (SharedFile file : point.shared()) {
      read(of(file), file.bytes(), file.checksum(), (piece, length) -> {});
      advance(file.bytes());
    }
  }

  /** Copies all files, and compares them with the list; CURRENT comes last. */
  void restore(Path target) {
    checkList();
    for (CopiedFile file : point.files()) {
      if (!Current.isNameOf(file.name())) {
        copy(own(file), fileSystem, target.resolve(file.name()), file.bytes(), file.checksum());
      }
      advance(file.bytes());
    }
    for (SharedFile file : point.shared()) {
      Path to = file.kind().path(target, file.number());
      copy(of(file), fileSystem, to, file.bytes(), file.checksum());
      advance(file.bytes());
    }
    fileSystem.syncDirectory(target);
    Current.read(memory, memory.directory()).make(fileSystem, target);
  }

  private String own(CopiedFile file) {
    return ObjectNames.point(point.number()) + file.name();
  }

  private static String of(SharedFile file) {
    return ObjectNames.SSTS + file.name();
  }

  /** Makes a file of an object; its content is durable then, its name is not. */
  private void copy(String name, StoreFileSystem to, Path file, long bytes, int checksum) {
    try (AppendFile copy = to.create(file)) {
      read(name, bytes, checksum, (piece, length) -> copy.append(piece, 0, length));
      copy.sync();
    }
  }

  private void read(String name, long bytes, int checksum, Sink sink) {
    CRC32C crc = new CRC32C();
    long size =
        objects.read(
            name,
            buffer,
            (piece, length) -> {
              crc.update(piece, 0, length);
              sink.accept(piece, length);
            });
    Path path = objects.path(name);
    if (size != bytes) {
      throw new CorruptionException(
          path, Math.min(size, bytes), "the file has " + size + " bytes, not " + bytes);
    }
    if ((int) crc.getValue() != checksum) {
      throw CorruptionException.checksum(path, 0, "the file", checksum, (int) crc.getValue());
    }
  }

  private void advance(long bytes) {
    done += bytes;
    progress.done(done, point.bytes());
  }

  /**
   * The manifest has to name the SSTs and value files that the list names. That of an encrypted
   * store cannot be read, as nobody needs a key here.
   */
  private void checkList() {
    for (CopiedFile file : point.files()) {
      if (!StoreFileNames.isOfStore(file.name())) {
        throw new CorruptionException(
            list(), 0, "it names " + file.name() + ", which is no file of a store");
      }
      if (Current.isNameOf(file.name()) || FileKind.MANIFEST.numberOf(file.name()).isPresent()) {
        Path copy = memory.directory().resolve(file.name());
        copy(own(file), memory, copy, file.bytes(), file.checksum());
      }
    }
    if (!memory.exists(Current.path(memory.directory()))) {
      throw new CorruptionException(list(), 0, "it names no CURRENT");
    }
    Catalog catalog;
    try {
      catalog = Manifest.recover(memory, memory.directory()).catalog();
    } catch (EncryptionKeyException e) {
      return;
    }
    Set<String> listed = new HashSet<>();
    for (SharedFile file : point.shared()) {
      boolean isSst = file.kind() == FileKind.SST;
      listed.add(isSst ? file.identity() : FileKind.VALUES.fileName(file.number()));
    }
    Set<String> held = new HashSet<>();
    for (Forest forest : catalog.forests()) {
      for (Sst sst : forest.ssts()) {
        SstMeta meta = sst.meta();
        held.add(SharedFile.identityOf(FileKind.SST, meta.number(), meta.uniqueId()));
        meta.values().forEach(use -> held.add(FileKind.VALUES.fileName(use.file())));
      }
    }
    for (CopiedFile file : point.files()) { // values that were copied with the log
      if (FileKind.VALUES.numberOf(file.name()).isPresent() && held.contains(file.name())) {
        listed.add(file.name());
      }
    }
    if (!listed.equals(held)) {
      throw new CorruptionException(
          list(), 0, "it names other files than the manifest of the point");
    }
  }

  private Path list() {
    return objects.path(ObjectNames.list(point.number()));
  }
}
