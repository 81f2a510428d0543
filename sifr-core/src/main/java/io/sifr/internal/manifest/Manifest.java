package io.sifr.internal.manifest;

import io.sifr.error.CorruptionException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.CatalogEdits;
import io.sifr.internal.forest.EditCodec;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.FileRewrite;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The forest manifest of an open store: the append-only log of all edits of its catalog. It begins
 * with a snapshot, the edits that lead to the catalog as it was when the manifest was written,
 * followed by reserved room for further edits: on a full disk, the edits that free space must not
 * need any.
 *
 * <p>To open a store for writing, call {@link #recover}, and then {@link #resume} or {@link
 * #startNew}: an existing manifest is appended to only if its end is certain.
 *
 * <p>Not thread-safe: calls are ordered by the lock that orders the edits of the catalog.
 */
public final class Manifest implements AutoCloseable {
  /** Room for some sixty edits, for a store that does little. */
  private static final long FIRST_RESERVE_BYTES = 16L << 10;

  /** Each manifest of a busy store has so many times the room of the one before, ... */
  private static final int RESERVE_GROWTH = 4;

  /** ... up to room for a thousand edits, which is written in less than a millisecond. */
  private static final long GROWN_RESERVE_BYTES = 256L << 10;

  /** With 3, a new manifest is started when the edits are 1.5 times as large as the snapshot. */
  private static final int RESERVE_FACTOR = 3;

  /** On an almost full disk less is reserved, but not less than this. */
  private static final long LEAST_RESERVE_BYTES = 16L << 10;

  /** At most one in so many bytes that are free is reserved. */
  private static final int SHARE_OF_FREE_SPACE = 16;

  private static final byte[] NO_EDITS = {};

  private static final Logger LOGGER = LoggerFactory.getLogger(Manifest.class);

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final long number;
  private final Records records;
  private final RandomWriteFile file;
  private final long snapshotBytes;
  private final long fileBytes;
  private long position;
  private @Nullable Throwable failure;
  private boolean closed;

  private Manifest(
      StoreFileSystem fileSystem,
      Path directory,
      FileHeader header,
      long snapshotBytes,
      long position,
      long fileBytes) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.number = header.number();
    this.records = Records.of(fileSystem, directory, header);
    this.snapshotBytes = snapshotBytes;
    this.position = position;
    this.fileBytes = fileBytes;
    this.file = fileSystem.openForWrite(FileKind.MANIFEST.path(directory, number), fileBytes);
  }

  /**
   * Frames the records of a manifest.
   *
   * @param cipher seals the edits; null if it is not encrypted
   */
  private record Records(long uniqueId, @Nullable FileCipher cipher) {
    static Records of(StoreFileSystem fileSystem, Path directory, FileHeader header) {
      Path path = FileKind.MANIFEST.path(directory, header.number());
      return new Records(header.uniqueId(), header.cipher(path, fileSystem.keys()));
    }

    int key() {
      return cipher == null ? 0 : cipher.number();
    }

    byte[] frame(byte[] edits, long offset) {
      boolean isSealed = cipher != null && edits.length > 0;
      int payloadBytes =
          ManifestReader.MARK_BYTES + edits.length + (isSealed ? FileCipher.OVERHEAD : 0);
      ByteBuffer frame = ByteBuffer.allocate((int) RecordFrame.bytes(payloadBytes));
      frame.putLong(RecordFrame.HEADER_BYTES, FileHeader.mark(uniqueId, offset));
      int editsAt = RecordFrame.HEADER_BYTES + ManifestReader.MARK_BYTES;
      frame.put(editsAt, edits);
      if (cipher != null && isSealed) {
        cipher.seal(FileCipher.at(offset), frame.array(), editsAt, edits.length);
      }
      RecordFrame.seal(frame, 0, payloadBytes, uniqueId, offset);
      return frame.array();
    }
  }

  /**
   * Whether the directory, which exists, holds a store. A manifest that CURRENT does not name, in
   * an otherwise empty directory, is left over from a {@link #startNew} that never returned: it is
   * no store yet.
   *
   * @throws CorruptionException when CURRENT is missing although there are SSTs or log segments, to
   *     create a store there would destroy their data; or a copy of a store that is not finished
   * @throws io.sifr.error.ForeignDirectoryException when it is a directory of LevelDB or RocksDB
   */
  public static boolean exists(StoreFileSystem fileSystem, Path directory) {
    ForeignDirectory.refuse(fileSystem, directory);
    Path current = Current.path(directory);
    if (fileSystem.exists(current)) {
      return true;
    }
    if (Current.isUnfinished(fileSystem, directory)) {
      throw new CorruptionException(
          current,
          0,
          "the file is missing: a checkpoint, a restore, a salvage or a removal was not finished;"
              + " repeat it");
    }
    for (String name : fileSystem.list(directory)) {
      if (FileKind.SST.numberOf(name).isPresent() || FileKind.WAL.numberOf(name).isPresent()) {
        throw new CorruptionException(
            current, 0, "the file is missing, although " + name + " belongs to a store");
      }
    }
    return false;
  }

  /**
   * Reads the manifest that CURRENT names. Writes nothing.
   *
   * <p>A synced record is followed by one that says so; so a broken last record was never
   * acknowledged and is ignored, and is distinguished from damage to an acknowledged one.
   *
   * @throws CorruptionException when CURRENT or the manifest is missing or damaged, or an edit does
   *     not fit
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote them
   * @throws io.sifr.error.StoreIoException when they cannot be read; that is never mistaken for
   *     their end
   */
  public static Recovered recover(StoreFileSystem fileSystem, Path directory) {
    return replay(fileSystem, directory, Current.read(fileSystem, directory));
  }

  private static Recovered replay(StoreFileSystem fileSystem, Path directory, Current current) {
    try (ManifestReader reader = new ManifestReader(fileSystem, directory, current.number())) {
      if (reader.uniqueId() != current.uniqueId()) {
        throw new CorruptionException(
            reader.path(),
            16,
            String.format(
                "unique id is %016x, CURRENT says %016x", reader.uniqueId(), current.uniqueId()));
      }
      Catalog catalog = Catalog.EMPTY;
      boolean isLastSynced = false;
      try {
        for (List<ForestEdit> group = reader.next(); group != null; group = reader.next()) {
          catalog = catalog.apply(group);
          isLastSynced = group.isEmpty();
        }
        catalog.checkNothingIsUsedTwice();
      } catch (IllegalArgumentException e) {
        throw new CorruptionException(
            reader.path(), reader.recordAt(), "an edit does not fit: " + e.getMessage());
      }
      if (reader.end() < current.snapshotBytes()) {
        throw new CorruptionException(
            reader.path(),
            reader.end(),
            "the snapshot is broken; it ends at " + current.snapshotBytes());
      }
      return new Recovered(
          catalog,
          current,
          reader.header(),
          reader.end(),
          reader.size(),
          reader.isTorn(),
          isLastSynced);
    }
  }

  /**
   * Continues a manifest that was read, if it is certain where it ends and that all of it is
   * durable: its last record says that the group before it was synced, and only zeros follow.
   * Writes nothing. Later appends continue as if the manifest had never been closed.
   *
   * <p>A torn record fails this test; so does a group without the record that confirms its sync, as
   * a killed process or a failed sync leaves it: it can be read, but may be lost in the next power
   * failure. So does a manifest that holds only its snapshot, because only the first append
   * confirms that the directory was synced after {@code CURRENT} had named it.
   *
   * @param found what {@link #recover} has returned
   * @return empty when that is not certain, or it is not encrypted with the current key; then call
   *     {@link #startNew}
   */
  public static Optional<Manifest> resume(
      StoreFileSystem fileSystem, Path directory, Recovered found) {
    boolean isOfOtherKey = found.header().key() != fileSystem.keys().current();
    if (found.isTorn()
        || isOfOtherKey
        || !found.isLastSynced()
        || found.end() <= found.current().snapshotBytes()) {
      return Optional.empty();
    }
    Manifest manifest = ofFile(fileSystem, directory, found);
    manifest.deleteOthers();
    return Optional.of(manifest);
  }

  /**
   * Continues a manifest that was read in its own file although it is not certain that all of it is
   * durable, because there is no space for a new one. What follows its snapshot is written again
   * over itself, with zeros after its end, and synced; so is the directory. A crash meanwhile
   * changes nothing of what is read.
   *
   * <p>A new manifest is better: if the sync of the directory had failed after CURRENT had named
   * this one, a second sync might succeed although the name is lost.
   *
   * @param found what {@link #recover} has returned
   */
  public static Manifest resumeInPlace(
      StoreFileSystem fileSystem, Path directory, Recovered found) {
    Manifest manifest = ofFile(fileSystem, directory, found);
    try {
      FileRewrite.rewrite(
          fileSystem,
          FileKind.MANIFEST.path(directory, found.current().number()),
          manifest.file,
          found.current().snapshotBytes(),
          found.end(),
          found.fileBytes());
      fileSystem.syncDirectory(directory);
      manifest.noteSynced();
    } catch (Throwable e) {
      manifest.closeAfter(e);
      throw e;
    }
    manifest.deleteOthers();
    return manifest;
  }

  /** Whether another one would be encrypted with another key. */
  public boolean isOfOldKey() {
    return fileSystem.keys().isOld(records.key());
  }

  private static Manifest ofFile(StoreFileSystem fileSystem, Path directory, Recovered found) {
    return new Manifest(
        fileSystem,
        directory,
        found.header(),
        found.current().snapshotBytes(),
        found.end(),
        found.fileBytes());
  }

  /** Records that everything so far was synced, if there is room for that. */
  private void noteSynced() {
    byte[] synced = records.frame(NO_EDITS, position);
    if (position + synced.length <= fileBytes) {
      file.write(synced, 0, synced.length, position);
      position += synced.length;
    }
  }

  /** Visits the records of a manifest. */
  public interface RecordVisitor {
    /**
     * One record.
     *
     * @param offset where in the file it begins
     * @param bytes its length in the file
     * @param group its edits
     * @param editOffsets where in the file each of them begins
     */
    void record(long offset, long bytes, List<ForestEdit> group, List<Long> editOffsets);
  }

  /**
   * Visits all whole records of a manifest, in order, and returns where the last one ends and
   * whether anything but zeros follows.
   *
   * @throws CorruptionException when the file is missing, or the visited records are followed by
   *     damage that is no torn end
   */
  public static ManifestScan.Result forEachRecord(
      StoreFileSystem fileSystem, Path directory, long number, RecordVisitor visitor) {
    try (ManifestReader reader = new ManifestReader(fileSystem, directory, number)) {
      for (List<ForestEdit> group = reader.next(); group != null; group = reader.next()) {
        long at = reader.recordAt();
        visitor.record(at, reader.end() - at, group, reader.editOffsets());
      }
      return new ManifestScan.Result(reader.uniqueId(), reader.end(), reader.isTorn());
    }
  }

  /**
   * Starts a new manifest from a catalog, and makes CURRENT name it. When it returns, all that is
   * durable, and older manifests are deleted; when it fails, CURRENT names either the old one or
   * the new one, or there is still no store. The manifest of a new store must exist before its
   * first log segment and its first SST, see {@link #exists}.
   *
   * @param number number for the manifest, larger than that of the one CURRENT names; recovery
   *     counts it as used
   * @throws IllegalArgumentException when the number is not larger
   */
  public static Manifest startNew(
      StoreFileSystem fileSystem, Path directory, long number, Catalog snapshot) {
    if (fileSystem.exists(Current.path(directory))) {
      long before = Current.read(fileSystem, directory).number();
      if (number <= before) {
        throw new IllegalArgumentException(
            "number of the new manifest is " + number + "; CURRENT names " + before);
      }
    }
    Manifest manifest =
        write(fileSystem, directory, number, randomId(), snapshot, FIRST_RESERVE_BYTES);
    manifest.becomeCurrentOrClose();
    manifest.deleteOthers();
    return manifest;
  }

  /** Whether CURRENT names the manifest that was read. */
  public static boolean isCurrent(StoreFileSystem fileSystem, Path directory, Recovered found) {
    Current current = Current.read(fileSystem, directory);
    return current.number() == found.current().number()
        && current.uniqueId() == found.current().uniqueId();
  }

  private static long randomId() {
    return new SecureRandom().nextLong();
  }

  /**
   * Starts a new manifest from the catalog and closes this one; worthwhile when little {@link
   * #room} is left. A failure while the new one is written, for example a full disk, leaves this
   * one as it was; a failure while CURRENT is replaced ends it like a failed {@link #append}.
   *
   * @param number number for the new manifest, larger than this one's
   * @throws IllegalArgumentException when the catalog cannot be encoded; this manifest stays usable
   * @throws StoreFailedException when this manifest has failed before
   */
  public Manifest rewrite(long number, Catalog snapshot) {
    checkUsable();
    if (number <= this.number) {
      throw new IllegalArgumentException(
          "number of the new manifest is " + number + "; the old one has " + this.number);
    }
    long grown = Math.min(RESERVE_GROWTH * reserve(), GROWN_RESERVE_BYTES);
    Manifest manifest = write(fileSystem, directory, number, randomId(), snapshot, grown);
    try {
      manifest.becomeCurrentOrClose();
    } catch (Throwable e) {
      if (e instanceof FileNotOpenedException || (e instanceof StoreFullException && isCurrent())) {
        discard(fileSystem, FileKind.MANIFEST.path(directory, number), e); // nothing has changed
      } else {
        failure = e;
      }
      throw e;
    }
    closeObsolete();
    manifest.deleteOthers();
    return manifest;
  }

  /**
   * Writes and syncs a manifest and prepares CURRENT for it. It has no effect yet.
   *
   * @param leastReserve room for edits, if there is space for it; a large snapshot gets more
   * @throws io.sifr.error.StoreFullException when there is no room for it
   */
  static Manifest write(
      StoreFileSystem fileSystem,
      Path directory,
      long number,
      long uniqueId,
      Catalog snapshot,
      long leastReserve) {
    FileHeader header = FileHeader.of(fileSystem.keys(), FileKind.MANIFEST, number, uniqueId);
    byte[] content = snapshot(header, Records.of(fileSystem, directory, header), snapshot);
    long reserve =
        Math.max(
            Math.max(FIRST_RESERVE_BYTES, leastReserve), RESERVE_FACTOR * (long) content.length);
    reserve = Math.min(reserve, mostReserve(fileSystem, directory));
    while (true) {
      try {
        return write(fileSystem, directory, header, content, reserve);
      } catch (StoreFullException e) {
        reserve /= 4;
        if (reserve < LEAST_RESERVE_BYTES) {
          throw e;
        }
      }
    }
  }

  /** A part of the free space, which others need more. */
  private static long mostReserve(StoreFileSystem fileSystem, Path directory) {
    try {
      long free = fileSystem.usableBytes(directory);
      return Math.max(LEAST_RESERVE_BYTES, free / SHARE_OF_FREE_SPACE);
    } catch (SifrException e) {
      return Long.MAX_VALUE; // unknown
    }
  }

  private static Manifest write(
      StoreFileSystem fileSystem, Path directory, FileHeader header, byte[] content, long reserve) {
    long number = header.number();
    Path path = FileKind.MANIFEST.path(directory, number);
    // Left over from an attempt that never became current.
    fileSystem.delete(path);
    try {
      long fileBytes = writeFile(fileSystem, path, content, reserve);
      fileSystem.syncDirectory(directory);
      Current current = new Current(number, header.uniqueId(), content.length);
      // The previous manifest is about to be deleted: this is the last chance to notice damage.
      replay(fileSystem, directory, current);
      current.prepare(fileSystem, directory);
      fileSystem.reached(ManifestCrashPoint.MANIFEST_WRITTEN);
      return new Manifest(fileSystem, directory, header, content.length, content.length, fileBytes);
    } catch (Throwable e) {
      discard(fileSystem, path, e);
      throw e;
    }
  }

  /** Returns the size of the file. */
  private static long writeFile(
      StoreFileSystem fileSystem, Path path, byte[] content, long reserve) {
    byte[] zeros = new byte[(int) Math.min(reserve, GROWN_RESERVE_BYTES)];
    try (AppendFile file = fileSystem.create(path)) {
      file.append(content, 0, content.length);
      for (long left = reserve; left > 0; left -= zeros.length) {
        file.append(zeros, 0, (int) Math.min(left, zeros.length));
      }
      file.sync();
      return file.position();
    }
  }

  private static byte[] snapshot(FileHeader header, Records records, Catalog catalog) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    ByteBuffer encoded = ByteBuffer.allocate(FileHeader.BYTES);
    header.encodeTo(encoded, 0);
    content.writeBytes(encoded.array());
    // One edit per record, which keeps records small: the snapshot takes effect as a whole, when
    // CURRENT names it.
    Catalog reserving = catalog.apply(new ForestEdit.NumbersReserved(header.number() + 1));
    for (ForestEdit edit : CatalogEdits.of(reserving)) {
      content.writeBytes(records.frame(EditCodec.encode(List.of(edit)), content.size()));
    }
    return content.toByteArray();
  }

  /** Frees the space of a file without effect; the orphan it may leave is deleted later. */
  private static void discard(StoreFileSystem fileSystem, Path path, Throwable cause) {
    try {
      fileSystem.delete(path);
    } catch (SifrException e) {
      cause.addSuppressed(e);
    }
  }

  private void becomeCurrentOrClose() {
    try {
      Current.swap(fileSystem, directory);
      fileSystem.reached(ManifestCrashPoint.MANIFEST_SWAPPED);
    } catch (Throwable e) {
      closeAfter(e);
      throw e;
    }
  }

  private void closeAfter(Throwable cause) {
    try {
      close();
    } catch (SifrException e) {
      cause.addSuppressed(e);
    }
  }

  /** Whether CURRENT names this manifest: some file systems need space to rename a file. */
  private boolean isCurrent() {
    try {
      return Current.read(fileSystem, directory).number() == number;
    } catch (SifrException e) {
      return false;
    }
  }

  /** The manifest is obsolete, so a failure to close it is no failure of the store. */
  private void closeObsolete() {
    try {
      close();
    } catch (SifrException e) {
      LOGGER.warn("manifest {} was replaced; {}", number, e.getMessage());
    }
  }

  /** Tried again whenever a manifest is started or resumed, so a failure can be ignored. */
  private void deleteOthers() {
    try {
      for (long other : FileKind.MANIFEST.numbersIn(fileSystem, directory)) {
        if (other != number) {
          fileSystem.delete(FileKind.MANIFEST.path(directory, other));
        }
      }
      Current.deleteLeftovers(fileSystem, directory);
      fileSystem.reached(ManifestCrashPoint.MANIFEST_OLD_DELETED);
    } catch (SifrException e) {
      LOGGER.warn("an obsolete manifest stays for now; {}", e.getMessage());
    }
  }

  /**
   * Appends edits that take effect atomically. When it returns, they are durable. When it fails,
   * they may or may not be there after reopening; until then nothing may be deleted that the
   * catalog with or without them needs.
   *
   * @throws IllegalArgumentException when the group is empty or cannot be encoded; the manifest
   *     stays usable
   * @throws StoreFullException when there is no room for them in the file, or they cannot be
   *     written there; nothing has changed, and the manifest stays usable, unless {@link
   *     #hasFailed}
   * @throws io.sifr.error.StoreIoException when writing or syncing fails
   * @throws StoreFailedException when it failed before: after a failure the end of the file is
   *     unknown, and a second sync would report success for what the first one lost
   */
  public void append(List<ForestEdit> group) {
    checkUsable();
    byte[] frame = records.frame(EditCodec.encode(group), position);
    long end = position + frame.length;
    byte[] synced = records.frame(NO_EDITS, end);
    if (end + synced.length > fileBytes) {
      throw new StoreFullException(
          FileKind.MANIFEST.path(directory, number),
          "append to",
          new IOException("the room set aside for edits is used up"));
    }
    writeOver(frame);
    try {
      file.sync();
      confirm(synced, end);
      position = end + synced.length;
    } catch (Throwable e) {
      failure = e;
      throw e;
    }
  }

  /**
   * Writes a record into the reserved room, which needs space where a file system copies on write.
   * A part of it that was written is no record: the next one is written over it.
   */
  private void writeOver(byte[] frame) {
    try {
      file.write(frame, 0, frame.length, position);
    } catch (Throwable e) {
      if (!(e instanceof StoreFullException) || isWhole(frame)) {
        failure = e;
      }
      throw e;
    }
  }

  /** Whether zeros that were there before make a whole record of what was written of it. */
  private boolean isWhole(byte[] frame) {
    byte[] found = new byte[frame.length];
    try (RandomReadFile written =
        fileSystem.openForRead(FileKind.MANIFEST.path(directory, number))) {
      written.readFully(ByteBuffer.wrap(found), position);
      return Arrays.equals(found, frame);
    } catch (SifrException e) {
      return true; // unknown
    }
  }

  /**
   * Files that a group makes obsolete are deleted from now on. With a record after it, damage to
   * the group is not mistaken for a torn write. Needs no sync: a power failure can lose only this
   * precaution.
   */
  private void confirm(byte[] synced, long at) {
    try {
      file.write(synced, 0, synced.length, at);
    } catch (StoreFullException e) {
      // It is lost as by a power failure.
    }
  }

  /** Whether its content is unknown after a failure, so that it accepts no edits. */
  public boolean hasFailed() {
    return failure != null;
  }

  private void checkUsable() {
    if (failure != null) {
      throw new StoreFailedException(directory, failure);
    }
    if (closed) {
      throw new IllegalStateException("manifest " + number + " is closed");
    }
  }

  public long number() {
    return number;
  }

  /** Bytes written; zeros follow up to the end of the file. */
  public long bytes() {
    return position;
  }

  /**
   * Bytes left for edits. They were written when the manifest was started, so that edits, above all
   * those that release files, can be made durable on a full disk.
   */
  public long room() {
    return fileBytes - position;
  }

  /** Bytes reserved for edits when the manifest was started. */
  public long reserve() {
    return fileBytes - snapshotBytes;
  }

  /** Closes the file. It can be called more than once. */
  @Override
  public void close() {
    closed = true;
    file.close();
  }
}
