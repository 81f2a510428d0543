package io.sifr.infinispan;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.WriteOptions;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves entries to the segments in which a cache looks for them, after it was given other ones. One
 * batch takes an entry from where it was and puts it where it belongs. So a move that was
 * interrupted is finished by doing it again: what was moved before stays where it is.
 */
final class SegmentMove {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentMove.class);

  /** Roughly what a batch, and what is read for it, takes of the memory. */
  private static final int BATCH_BYTES = 1 << 20;

  /** The bytes that an entry takes beside its own. */
  private static final int ENTRY_BYTES = 100;

  private static final int ENTRIES_BETWEEN_MESSAGES = 100_000;

  private final Store store;
  private final ToIntFunction<byte[]> segmentOf;
  private long passed;
  private long moved;

  /**
   * @param segmentOf the segment of a key, which is given as Infinispan has it
   */
  SegmentMove(Store store, ToIntFunction<byte[]> segmentOf) {
    this.store = store;
    this.segmentOf = segmentOf;
  }

  /**
   * Moves what is elsewhere in a database.
   *
   * @param segmentAt where in a key the number of the segment is
   */
  void run(Database database, int segmentAt) {
    long about = database.estimate(KeyRange.all()).entries();
    LOG.info("{}: looking through about {} {}", store.directory(), about, database.name());
    passed = 0;
    moved = 0;
    KeyRange left = KeyRange.all();
    // A cursor for each batch, so that no old files are kept for long. It may come upon what was
    // moved forward, and leaves it there.
    while (database.firstEntry(left) != null) {
      WriteBatch batch = new WriteBatch();
      try (Cursor cursor = database.cursor(left)) {
        for (long bytes = 0; bytes < BATCH_BYTES && cursor.next(); bytes += ENTRY_BYTES) {
          byte[] key = cursor.key();
          int segment = segmentOf.applyAsInt(EntryKeys.key(key, segmentAt));
          if (segment != EntryKeys.segment(key, segmentAt)) {
            byte[] value = cursor.value();
            batch
                .delete(database, key)
                .put(database, EntryKeys.moved(key, segmentAt, segment), value);
            bytes += key.length + value.length;
            moved++;
          }
          left = KeyRange.greaterThan(key);
          if (++passed % ENTRIES_BETWEEN_MESSAGES == 0) {
            LOG.info(
                "{}: {} of about {} passed, {} moved", store.directory(), passed, about, moved);
          }
        }
      }
      if (batch.size() > 0) {
        // A power loss takes the latest batches and nothing before, whatever the store is set to.
        store.write(batch, WriteOptions.BUFFERED);
      }
    }
    LOG.info("{}: {} of {} {} moved", store.directory(), moved, passed, database.name());
  }
}
