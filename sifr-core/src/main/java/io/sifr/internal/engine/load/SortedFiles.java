package io.sifr.internal.engine.load;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;

import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.SingleEntry;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.write.SstWriter;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.KeyText;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes ascending entries as SSTs with names of the caller, all with the sequence number 0. Used
 * by one thread at a time.
 */
public final class SortedFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SortedFiles.class);

  private final StoreFileSystem fileSystem;
  private final Path first;
  private final long targetBytes;
  private final SstAccess access;
  private final KeyHash.@Nullable Buffer hashes;
  private final BlockCodec codec;
  private final byte[] staging = SstWriter.newStaging();
  private final SecureRandom uniqueIds = new SecureRandom();
  private final SingleEntry entry = new SingleEntry();
  private final List<Path> files = new ArrayList<>();
  private final List<SstMeta> finished = new ArrayList<>();
  private @Nullable SstWriter current;
  private long entries;
  private byte @Nullable [] lastKey;
  private boolean ended;
  private boolean kept;

  /**
   * Creates the first file.
   *
   * @param first an absolute path
   */
  public SortedFiles(
      StoreFileSystem fileSystem, Path first, StoreOptions options, BlockCodecs codecs) {
    this.fileSystem = fileSystem;
    this.first = first;
    this.targetBytes = options.splitUnitBytes();
    // Most of what is ingested is moved there; for which database, nobody knows yet.
    this.codec = codecs.written();
    this.access = SstAccess.mapped(fileSystem, directory(), codecs);
    this.hashes =
        options.filterBitsPerKey() == 0 ? null : new KeyHash.Buffer(options.filterBitsPerKey());
    try {
      this.current = begin();
    } catch (RuntimeException | Error e) {
      access.close();
      throw e;
    }
  }

  /** The files that were written. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  public record Written(List<Path> files, long entries, byte[] first, byte[] last, long bytes) {}

  private Path directory() {
    Path directory = first.getParent();
    checkArgument(directory != null, "%s is not the name of a file", first);
    return directory;
  }

  private SstWriter begin() {
    int index = files.size();
    Path file = index == 0 ? first : first.resolveSibling(first.getFileName() + "." + index);
    if (hashes != null) {
      hashes.clear();
    }
    SstWriter writer =
        new SstWriter(
            access,
            file,
            access.newHeader(index + 1, uniqueIds.nextLong()),
            0,
            codec,
            staging,
            hashes);
    files.add(file);
    return writer;
  }

  /** Sets the value of a key, which must be larger than those before. */
  public void put(byte[] key, byte[] value) {
    entry.set(Trailer.of(0, EntryKind.PUT), key, value);
    add(key);
  }

  /** Says that a key, which must be larger than those before, has no value. */
  public void delete(byte[] key) {
    entry.set(Trailer.of(0, EntryKind.DELETE), key, Bytes.EMPTY);
    add(key);
  }

  private void add(byte[] key) {
    checkState(!ended, "the writer was finished or closed");
    byte[] before = lastKey;
    if (before != null && Arrays.compareUnsigned(before, key) >= 0) {
      throw new IllegalArgumentException(
          "key " + KeyText.of(key) + " is not larger than the one before, " + KeyText.of(before));
    }
    SstWriter writer = current;
    if (writer == null) {
      writer = begin();
      current = writer;
    }
    writer.add(entry);
    lastKey = key.clone();
    entries++;
    if (writer.unpaddedBytes() >= targetBytes) {
      finish(writer);
    }
  }

  private void finish(SstWriter writer) {
    finished.add(writer.finish(null, System.currentTimeMillis()));
    writer.close();
    current = null;
  }

  public long entries() {
    return entries;
  }

  /** Ends the last file, and makes everything durable. */
  public Written finish() {
    byte[] last = lastKey;
    if (ended || last == null) {
      throw new IllegalStateException(
          ended ? "the writer was finished or closed" : "there is no entry");
    }
    ended = true;
    if (current != null) {
      finish(current);
    }
    fileSystem.syncDirectory(directory());
    kept = true;
    return new Written(
        List.copyOf(files),
        entries,
        finished.get(0).smallestKey(),
        last,
        finished.stream().mapToLong(SstMeta::fileBytes).sum());
  }

  @Override
  public void close() {
    ended = true;
    try {
      access.close();
    } finally {
      if (!kept) {
        discard();
      }
    }
  }

  private void discard() {
    kept = true; // once
    if (current != null) {
      current.close();
    }
    for (Path file : files) {
      try {
        fileSystem.delete(file);
      } catch (SifrException e) {
        LOG.warn("{} is not needed and cannot be deleted", file, e);
      }
    }
  }
}
