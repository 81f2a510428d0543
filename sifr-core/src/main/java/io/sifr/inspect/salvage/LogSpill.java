package io.sifr.inspect.salvage;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.write.SstWriter;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.wal.Operations;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sorts the operations of a log and values whose entries are lost, which may be larger than memory:
 * whenever memory is full they are written as an SST, and these are merged with all others in the
 * end.
 */
final class LogSpill {
  private static final long MEMTABLE_BYTES = 16 << 20;

  private final OfflineStore store;
  private final long memoryBytes;
  private final SecureRandom uniqueIds = new SecureRandom();
  private final byte[] staging = SstWriter.newStaging();
  private final Map<String, Memtable> memtables = new TreeMap<>();
  private final Map<String, List<SalvagedSst>> written = new TreeMap<>();
  private final Map<String, List<RangeTombstones>> ranges = new TreeMap<>();
  private long lastNumber;

  /**
   * @param directory where the SSTs are written, for exclusive use
   */
  LogSpill(StoreFileSystem files, Path directory) {
    this(files, directory, MEMTABLE_BYTES);
  }

  /** As above, with that much memory for each database. */
  LogSpill(StoreFileSystem files, Path directory, long memoryBytes) {
    this.store = new OfflineStore(files, directory, BlockCodecs.STANDARD);
    this.memoryBytes = memoryBytes;
  }

  /** Adds the reader's current operation. */
  void add(String database, long sequence, Operations.Reader operation) {
    if (operation.isRangeDelete()) {
      ranges
          .computeIfAbsent(database, name -> new ArrayList<>())
          .add(RangeTombstones.of(operation.rangeFrom(), operation.rangeTo(), sequence));
      return;
    }
    memtable(database, operation.keyLength(), operation.valueLength())
        .add(
            Trailer.of(sequence, operation.kind()),
            operation.array(),
            operation.keyOffset(),
            operation.keyLength(),
            operation.array(),
            operation.valueOffset(),
            operation.valueLength());
  }

  /** Adds an entry. */
  void add(String database, long trailer, byte[] key, byte[] value) {
    memtable(database, key.length, value.length)
        .add(trailer, key, 0, key.length, value, 0, value.length);
  }

  /** A memtable with room for an entry. */
  private Memtable memtable(String database, int keyLength, int valueLength) {
    long needed = Memtable.footprint(keyLength, valueLength);
    Memtable memtable = memtables.get(database);
    if (memtable != null && !memtable.hasRoom(needed)) {
      write(database, memtable);
      memtable = null;
    }
    if (memtable == null) {
      memtable = new Memtable(Math.max(memoryBytes, needed));
      memtables.put(database, memtable);
    }
    return memtable;
  }

  /** The range deletes, by database. */
  Map<String, List<RangeTombstones>> rangesByDatabase() {
    return ranges;
  }

  /** Writes the remaining operations, and returns all SSTs by database. */
  Map<String, List<SalvagedSst>> finish() {
    memtables.forEach(this::write);
    memtables.clear();
    return written;
  }

  private void write(String database, Memtable memtable) {
    long number = ++lastNumber;
    try (SstWriter writer =
            new SstWriter(
                store.ssts(), number, uniqueIds.nextLong(), 0, Codecs.NONE, staging, null);
        EntryIterator entries = memtable.iterator()) {
      byte[] key = Bytes.EMPTY;
      long sequence = -1;
      for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
        // A value may be in the log and in a value file, or in two.
        byte[] before = key;
        int from = entries.keyOffset();
        key = Arrays.copyOfRange(entries.keyArray(), from, from + entries.keyLength());
        boolean isAgain =
            Trailer.sequence(entries.trailer()) == sequence && Arrays.equals(key, before);
        sequence = Trailer.sequence(entries.trailer());
        if (!isAgain) {
          writer.add(entries);
        }
      }
      SstMeta meta = writer.finish(null, 0);
      SourceSst source = new SourceSst(number, 0, meta, SourceSst.ALL_KEYS, true);
      written
          .computeIfAbsent(database, name -> new ArrayList<>())
          .add(
              new SalvagedSst(
                  store,
                  source,
                  meta.entries(),
                  meta.smallestKey(),
                  meta.largestKey(),
                  meta.fileBytes()));
    }
  }
}
