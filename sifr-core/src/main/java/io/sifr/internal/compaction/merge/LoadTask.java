package io.sifr.internal.compaction.merge;

import io.sifr.internal.compaction.merge.TaskEnvironment.YieldPoints;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.VersionFilter;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries that are loaded in bulk as SSTs: of each key the newest version, tombstones too.
 * Used by one thread.
 */
public final class LoadTask {
  private static final int ENTRIES_TOLD = 1 << 14;
  private static final long[] NO_SNAPSHOTS = {};

  private final TaskEnvironment environment;
  private final long targetBytes;
  private final boolean keepsSequences;
  private final LongConsumer written;

  private LoadTask(
      TaskEnvironment environment, long targetBytes, boolean keepsSequences, LongConsumer written) {
    this.environment = environment;
    this.targetBytes = targetBytes;
    this.keepsSequences = keepsSequences;
    this.written = written;
  }

  /** Writes a run: one SST, whose entries keep their sequence numbers. */
  public static LoadTask ofRun(TaskEnvironment environment) {
    return new LoadTask(environment, Long.MAX_VALUE, true, entries -> {});
  }

  /**
   * Writes SSTs that are to be ingested: all entries have the sequence number 0.
   *
   * @param targetBytes size of an SST
   * @param written notified now and then of how many more entries were written
   */
  public static LoadTask ofSsts(
      TaskEnvironment environment, long targetBytes, LongConsumer written) {
    return new LoadTask(environment, targetBytes, false, written);
  }

  /**
   * Writes the SSTs. Their content is durable, their names are not; they are open, and ascending.
   *
   * @param entries sorted; closed by the caller
   * @param from the first key; null: the first of all
   * @param to the key after the last one; null: there is none
   */
  public List<Sst> run(EntryIterator entries, byte @Nullable [] from, byte @Nullable [] to) {
    List<Sst> ssts = new ArrayList<>();
    try {
      write(entries, from, to, ssts);
      return ssts;
    } catch (RuntimeException | Error e) {
      ssts.forEach(environment::discard);
      throw e;
    }
  }

  private void write(
      EntryIterator entries, byte @Nullable [] from, byte @Nullable [] to, List<Sst> ssts) {
    YieldPoints yieldPoints = new YieldPoints(environment.progress().yieldPoint());
    VersionFilter filter =
        new VersionFilter(
            environment.files().access().kinds(),
            NO_SNAPSHOTS,
            (key, offset, length) -> true,
            null);
    UnnumberedEntry unnumbered = new UnnumberedEntry(entries);
    long untold = 0;
    try (OutputWriter output = new OutputWriter(environment)) {
      boolean more =
          from == null
              ? entries.seekToFirst()
              : entries.seek(from, 0, from.length, Trailer.seek(Trailer.MAX_SEQUENCE));
      while (more && isBefore(entries, to)) {
        boolean keep =
            filter.keep(
                entries.keyArray(), entries.keyOffset(), entries.keyLength(), entries.trailer());
        if (keep) {
          if (output.currentBytes() >= targetBytes) {
            addTo(ssts, output.cut());
          }
          output.add(keepsSequences ? entries : unnumbered);
          untold++;
        }
        if (untold == ENTRIES_TOLD) {
          written.accept(untold);
          untold = 0;
        }
        yieldPoints.entry(entries.keyLength() + entries.valueLength());
        more = entries.next();
      }
      addTo(ssts, output.cut());
    }
    written.accept(untold);
  }

  private static boolean isBefore(EntryIterator entries, byte @Nullable [] to) {
    return to == null
        || Bytes.compare(
                entries.keyArray(), entries.keyOffset(), entries.keyLength(), to, 0, to.length)
            < 0;
  }

  private static void addTo(List<Sst> ssts, @Nullable Sst sst) {
    if (sst != null) {
      ssts.add(sst);
    }
  }

  /** The current entry of an iterator, with the sequence number 0. */
  private static final class UnnumberedEntry implements ForwardIterator {
    private final ForwardIterator entries;

    UnnumberedEntry(ForwardIterator entries) {
      this.entries = entries;
    }

    @Override
    public boolean seekToFirst() {
      return entries.seekToFirst();
    }

    @Override
    public boolean next() {
      return entries.next();
    }

    @Override
    public boolean valid() {
      return entries.valid();
    }

    @Override
    public byte[] keyArray() {
      return entries.keyArray();
    }

    @Override
    public int keyOffset() {
      return entries.keyOffset();
    }

    @Override
    public int keyLength() {
      return entries.keyLength();
    }

    @Override
    public long trailer() {
      return Trailer.of(0, Trailer.kind(entries.trailer()));
    }

    @Override
    public int valueLength() {
      return entries.valueLength();
    }

    @Override
    public void copyValue(byte[] target, int offset) {
      entries.copyValue(target, offset);
    }

    @Override
    public ByteBuffer value() {
      return entries.value();
    }

    @Override
    public void close() {
      entries.close();
    }
  }
}
