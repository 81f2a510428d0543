package io.sifr.internal.offline;

import io.sifr.error.CorruptionException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.KeyedFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.manifest.ForeignDirectory;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.manifest.ManifestScan;
import io.sifr.internal.manifest.Recovered;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.DamagedSst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.volume.StoreVolumes;
import io.sifr.internal.wal.RecordVisitor;
import io.sifr.internal.wal.WalReplay;
import io.sifr.internal.wal.WalSegmentReader;
import io.sifr.spi.EncryptionKeys;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of a store that is not open, each read by itself: as a store reads it, or as far as it
 * is whole. A damaged file causes a {@link CorruptionException}, one of a newer version an {@link
 * io.sifr.error.UnsupportedFormatException}.
 *
 * @param fileSystem the file system they are in
 * @param directory the store's directory
 * @param codecs the codecs that blocks of its SSTs may be encoded with
 */
public record OfflineStore(StoreFileSystem fileSystem, Path directory, BlockCodecs codecs) {
  /**
   * A store on disk.
   *
   * @param keys that its files may be encrypted with
   * @throws IllegalArgumentException when the path is not one of the default file system
   */
  public static OfflineStore onDisk(Path directory, EncryptionKeys keys) {
    DiskFileSystem.requireOwn("directory", directory);
    StoreFileSystem disk = new KeyedFileSystem(new DiskFileSystem(), FileKeys.of(keys));
    return new OfflineStore(StoreVolumes.ofTool(disk, directory), directory, BlockCodecs.STANDARD);
  }

  /** Prevents it from being opened; writes the lock file. */
  public DirectoryLock lock() {
    return fileSystem.lock(directory, Opening.LOCK_FILE);
  }

  /** Prevents it from being opened for writing; writes nothing. */
  public DirectoryLock lockForReading() {
    return fileSystem.lockForReading(directory, Opening.LOCK_FILE);
  }

  /** Numbers of all files of a kind, ascending. */
  public List<Long> numbers(FileKind kind) {
    return kind.numbersIn(fileSystem, directory);
  }

  public Path path(FileKind kind, long number) {
    return kind.path(directory, number);
  }

  public boolean exists(Path file) {
    return fileSystem.exists(file);
  }

  /** Bytes of a file. */
  public long size(Path file) {
    return fileSystem.size(file);
  }

  public FileHeader header(FileKind kind, long number) {
    return FileHeader.read(fileSystem, path(kind, number), kind, number);
  }

  /** Whether the directory exists and holds a store, see {@link Manifest#exists}. */
  public boolean holdsStore() {
    return fileSystem.exists(directory) && Manifest.exists(fileSystem, directory);
  }

  /** Throws when the directory is one of another product, see {@link ForeignDirectory#refuse}. */
  public void refuseForeign() {
    ForeignDirectory.refuse(fileSystem, directory);
  }

  /** Reads the manifest that CURRENT names. */
  public Recovered readManifest() {
    return Manifest.recover(fileSystem, directory);
  }

  /** Visits the records of a manifest, see {@link Manifest#forEachRecord}. */
  public ManifestScan.Result showManifest(long number, Manifest.RecordVisitor visitor) {
    return Manifest.forEachRecord(fileSystem, directory, number, visitor);
  }

  /** The content of CURRENT. */
  public Current named() {
    return Current.read(fileSystem, directory);
  }

  /** Reads what is whole of a manifest, see {@link ManifestScan#scan}. */
  public ManifestScan.Result scanManifest(
      long number, @Nullable Long uniqueId, ManifestScan.Visitor visitor) {
    return ManifestScan.scan(fileSystem, directory, number, uniqueId, visitor);
  }

  /** Opens an SST described by a manifest. */
  public SstReader openSst(SstMeta meta) {
    return SstReader.open(ssts(), meta);
  }

  /** Opens an SST of which only the number is known. */
  public SstReader openSst(long number) {
    return SstReader.open(ssts(), number);
  }

  /** Opens an SST that may be damaged, see {@link DamagedSst#open}. */
  public DamagedSst openDamagedSst(long number, @Nullable SstMeta expected) {
    return DamagedSst.open(ssts(), number, expected);
  }

  public SstAccess ssts() {
    return SstAccess.mapped(fileSystem, directory, codecs);
  }

  /** The value files; closed by the caller. */
  public ValueFiles values() {
    return new ValueFiles(fileSystem, directory, codecs::withId);
  }

  /** Opens a log segment. */
  public WalSegmentReader openSegment(long number) {
    return WalSegmentReader.open(fileSystem, directory, number);
  }

  /** Opens a log segment whose header is damaged. */
  public WalSegmentReader openDamagedSegment(long number) {
    return WalSegmentReader.openDamaged(fileSystem, directory, number);
  }

  /** Reads the log as a recovery does, see {@link WalReplay#replay}. */
  public WalReplay.Result replayLog(long firstNeededSegment, RecordVisitor visitor) {
    return WalReplay.replay(fileSystem, directory, firstNeededSegment, visitor);
  }
}
