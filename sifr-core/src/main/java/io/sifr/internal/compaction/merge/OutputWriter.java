package io.sifr.internal.compaction.merge;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.sst.write.SstWriter;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries as SSTs, cut where the caller says. An SST that was begun and not cut off is
 * deleted by {@link #close}; one that was cut off belongs to the caller.
 *
 * <p>Used by one thread.
 */
public final class OutputWriter implements AutoCloseable {
  private final TaskEnvironment environment;
  private final Runnable beginning;
  private final KeyHash.@Nullable Buffer hashes;
  private byte @Nullable [] staging;
  private @Nullable SstWriter current;

  /** When the last of the entries was written, see {@link SstMeta.Times}. */
  private long lastWrite;

  /** Checksum of the whole file of the SST that was finished last. */
  private int checksum;

  /** Whether one SST was read back, see {@link #readBack}. */
  private boolean hasReadBack;

  /** Bytes of the SST being written that the environment knows of. */
  private long told;

  /** The range tombstones that are not written yet. */
  private @Nullable RangeTombstones ranges;

  /** Writes SSTs wherever there is space. */
  OutputWriter(TaskEnvironment environment) {
    this(environment, () -> {});
  }

  /**
   * @param beginning called before each SST
   */
  OutputWriter(TaskEnvironment environment, Runnable beginning) {
    this.environment = environment;
    this.beginning = beginning;
    this.lastWrite = environment.entries().now();
    int bits = environment.output().filterBitsPerKey();
    this.hashes = bits == 0 ? null : new KeyHash.Buffer(bits, environment.output().filterPrefix());
  }

  /** Sets the range tombstones to write besides the entries that follow; null for none. */
  void beginRanges(@Nullable RangeTombstones all) {
    ranges = all;
  }

  /** Whether range tombstones are still to be written that cover keys up to that one. */
  boolean hasRangesUpTo(byte[] key) {
    RangeTombstones left = ranges;
    return left != null && Arrays.compareUnsigned(left.first(), key) <= 0;
  }

  /** Appends the iterator's current entry. */
  void add(ForwardIterator entry) {
    SstWriter writer = current;
    if (writer == null) {
      writer = begin();
      current = writer;
    }
    writer.add(entry);
  }

  private SstWriter begin() {
    beginning.run();
    if (staging == null) {
      staging = SstWriter.newStaging();
    }
    if (hashes != null) {
      hashes.clear();
    }
    long number = environment.files().numbers().getAsLong();
    SstAccess access = environment.files().access();
    return new SstWriter(
        access,
        FileKind.SST.path(environment.files().directory(), number),
        access.newHeader(number, environment.files().uniqueIds().getAsLong()),
        environment.output().databaseId(),
        environment.output().codec(),
        staging,
        hashes);
  }

  /** From now on entries come from these slices; else they were written before the task began. */
  void beginInputs(List<SstSlice> slices) {
    lastWrite = slices.stream().mapToLong(slice -> slice.sst().meta().lastWrite()).max().orElse(0);
  }

  /** Bytes of the SST being written, without padding; 0 when the next entry begins one. */
  long currentBytes() {
    return current == null ? 0 : current.unpaddedBytes();
  }

  /** Notifies the environment of how much was written since the last time. */
  void tellWritten() {
    if (current != null) {
      tellWritten(current.writtenBytes());
    }
  }

  private void tellWritten(long bytes) {
    environment.progress().written().accept(bytes - told);
    told = bytes;
  }

  /**
   * Finishes the SST being written; the next entry begins another. The range tombstones are cut
   * after the same key (I3), so there may be an SST of those alone. Its content is durable, its
   * name is not; it is open for reading.
   *
   * @param last the last key before the cut, whether it was written or not
   * @return null when there was nothing to be written
   */
  @Nullable Sst cutAfter(byte[] last) {
    RangeTombstones left = ranges;
    byte[] end = EntryLimits.endAfter(last);
    if (left == null || end == null) {
      return cut();
    }
    byte[] next = EntryLimits.firstFrom(end);
    ranges = next == null ? null : left.clipped(next, null);
    return finish(left.clipped(null, end));
  }

  /** The same after the last key and the last range tombstone. */
  @Nullable Sst cut() {
    RangeTombstones left = ranges;
    ranges = null;
    return finish(left);
  }

  private @Nullable Sst finish(@Nullable RangeTombstones with) {
    SstWriter writer = current;
    if (writer == null) {
      if (with == null) {
        return null;
      }
      writer = begin();
      current = writer;
    }
    Sst written = new Sst(writer.finish(with, lastWrite).with(environment.files().logged()));
    writer.close();
    checksum = writer.checksum();
    tellWritten(written.meta().fileBytes());
    current = null;
    told = 0;
    try {
      written.open(environment.files().access());
      return written;
    } catch (RuntimeException | Error e) {
      environment.discard(written);
      throw e;
    }
  }

  /**
   * Reads back the SST that was finished last, and makes sure that its file is what was written,
   * byte by byte. Of the first one, all that the format promises is checked as well: an error of
   * the writer itself would have correct checksums, and hardly affect a single SST.
   *
   * @throws io.sifr.error.CorruptionException when anything is wrong
   */
  void readBack(Sst written) {
    written.reader().requireContent(checksum);
    if (!hasReadBack) {
      written.reader().verify();
      hasReadBack = true;
    }
  }

  @Override
  public void close() {
    if (current != null) {
      current.close();
    }
  }

  /** Steps in writing the SSTs of a flush or a compaction. */
  public enum OutputCrashPoint implements CrashPoint {
    /** All SSTs of a flush are written and synced; their names are not durable. */
    FLUSH_SSTS_SYNCED,

    /** An SST of a compaction is written and synced; it was not read back. */
    COMPACTION_OUTPUT_SYNCED
  }
}
