package io.sifr.internal.engine.load;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;

import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.SingleEntry;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
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
 * Writes ascending entries and range tombstones as SSTs with names of the caller. All entries have
 * the sequence number 0; in a file with range tombstones these have 1 and the entries 2, so that
 * none is hidden by a range tombstone of the same files. Used by one thread at a time.
 */
public final class SortedFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SortedFiles.class);

  /** The sequence number of range tombstones. */
  static final long RANGE_SEQUENCE = 1;

  private static final long NONE = -1;

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

  /** That of the entries of the current file; {@link #NONE} as long as it has none. */
  private long sequence = NONE;

  /** The last key that was added, or the first one of the last range; null: there is none. */
  private byte @Nullable [] lastKey;

  /** Whether that is the first key of a range, and an entry with it may follow. */
  private boolean isRange;

  /** Range tombstones that are not written yet; with others, those of keys from the last one on. */
  private final List<RangeTombstones> ranges = new ArrayList<>();

  private long rangeBytes;
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
    add(EntryKind.PUT, key, value);
  }

  /** Says that a key, which must be larger than those before, has no value. */
  public void delete(byte[] key) {
    add(EntryKind.DELETE, key, Bytes.EMPTY);
  }

  /**
   * Says that the keys of a range have no value, except for those that are added.
   *
   * @param from its first key, at or after that of the range before, and after all keys before
   * @param to the key after its last one; null: there is none
   */
  public void deleteRange(byte[] from, byte @Nullable [] to) {
    EntryLimits.checkBound("from", from);
    if (to != null) {
      EntryLimits.checkBound("to", to);
    }
    checkState(!ended, "the writer was finished or closed");
    if (to != null && Arrays.compareUnsigned(from, to) >= 0) {
      return;
    }
    byte[] before = lastKey;
    int order = before == null ? -1 : Arrays.compareUnsigned(before, from);
    if (before != null && (order > 0 || (order == 0 && !isRange))) {
      throw new IllegalArgumentException(
          "a range that begins with %s comes after %s; a range is deleted before its keys are put"
              .formatted(KeyText.of(from), KeyText.of(before)));
    }
    byte[] first = from.clone();
    if (before != null && (sequence == 0 || (order < 0 && isFull()))) {
      finishAfter(before);
    }
    RangeTombstones added =
        RangeTombstones.of(first, to == null ? null : to.clone(), RANGE_SEQUENCE);
    ranges.add(added);
    rangeBytes += added.bytes();
    lastKey = first;
    isRange = true;
  }

  private void add(EntryKind kind, byte[] key, byte[] value) {
    checkState(!ended, "the writer was finished or closed");
    byte[] before = lastKey;
    int order = before == null ? -1 : Arrays.compareUnsigned(before, key);
    if (before != null && (order > 0 || (order == 0 && !isRange))) {
      throw new IllegalArgumentException(
          "key " + KeyText.of(key) + " is not larger than the one before, " + KeyText.of(before));
    }
    EntryLimits.checkKey(key);
    var unused = EntryLimits.checkValue(value); // before a file is begun for it
    if (sequence == NONE) {
      sequence = ranges.isEmpty() ? 0 : RANGE_SEQUENCE + 1;
    }
    entry.set(Trailer.of(sequence, kind), key, value);
    writer().add(entry);
    lastKey = key.clone();
    isRange = false;
    entries++;
    if (isFull()) {
      finishAfter(key);
    }
  }

  private SstWriter writer() {
    SstWriter writer = current;
    if (writer == null) {
      writer = begin();
      current = writer;
    }
    return writer;
  }

  private boolean isFull() {
    long bytes = current == null ? 0 : current.unpaddedBytes();
    if (bytes + rangeBytes >= targetBytes) {
      setRanges(RangeTombstones.merged(ranges)); // of those that overlap little is left
    }
    return bytes + rangeBytes >= targetBytes;
  }

  private void setRanges(@Nullable RangeTombstones only) {
    ranges.clear();
    rangeBytes = 0;
    if (only != null) {
      ranges.add(only);
      rangeBytes = only.bytes();
    }
  }

  /** Ends a file after a key, the last so far: range tombstones are cut there (I3). */
  private void finishAfter(byte[] last) {
    RangeTombstones all = RangeTombstones.merged(ranges);
    byte[] end = EntryLimits.endAfter(last);
    byte[] next = end == null ? null : EntryLimits.firstFrom(end);
    RangeTombstones with = all == null ? null : all.clipped(null, end);
    if (current != null || with != null) { // else all begin after the key
      finish(with);
    }
    setRanges(all == null || next == null ? null : all.clipped(next, null));
  }

  private void finish(@Nullable RangeTombstones with) {
    SstWriter writer = writer();
    finished.add(writer.finish(with, System.currentTimeMillis()));
    writer.close();
    current = null;
    sequence = NONE;
  }

  public long entries() {
    return entries;
  }

  /** Ends the last file, and makes everything durable. */
  public Written finish() {
    if (ended || lastKey == null) {
      throw new IllegalStateException(
          ended ? "the writer was finished or closed" : "there is no entry");
    }
    ended = true;
    if (current != null || !ranges.isEmpty()) {
      finish(RangeTombstones.merged(ranges));
    }
    fileSystem.syncDirectory(directory());
    kept = true;
    return new Written(
        List.copyOf(files),
        entries,
        finished.get(0).smallestKey(),
        finished.get(finished.size() - 1).largestKey(),
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
