package io.sifr.internal.engine.write;

import io.sifr.config.Durability;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.value.OpenValueFiles;
import io.sifr.internal.value.ValueWriter.Content;
import io.sifr.internal.wal.Operations;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes large values of puts to value files before the puts are logged: log and write buffer get
 * references, and the value is written once. Without the write lock. Not while everything has to be
 * in the log: as long as it is retained for readers of changes, or while the store is copied; a
 * value from a stream waits for the end of that.
 *
 * <p>Thread-safe.
 */
final class LargeValues {
  /**
   * So many times the size from which on values are written once, one that comes from a stream is
   * written as it comes, to a file of its own; a shorter one is read first, so that there are few
   * such files.
   */
  private static final int STREAMED = 16;

  /**
   * So many times that size has a value of a write that is to be {@link Durability#SYNC}: it waits
   * for a sync of the value file besides that of the log.
   */
  private static final int SYNCED = 4;

  /** After so many bytes of a stream it is looked whether there is space for the rest. */
  private static final int LOOK_BYTES = 1 << 20;

  private final int from;
  private final StoreState state;
  private final StoreLog log;
  private final OpenValueFiles files;
  private final BlockCodecs codecs;
  private final WriteGate gate;
  private final WriteRoom room;

  LargeValues(Setup setup, StoreState state, WriteGate gate, WriteRoom room) {
    this.from = setup.tuning().writeValuesOnceFrom();
    this.state = state;
    this.log = state.log();
    this.files = state.databases().values();
    this.codecs = setup.extensions().codecs();
    this.gate = gate;
    this.room = room;
  }

  /** Whether a value of that length is written before it is logged. */
  boolean takes(DatabaseHandle database, int length, Durability durability) {
    return length >= from(durability)
        && isApart(database, length)
        && !log.isRetained()
        && !gate.logsAll();
  }

  private long from(Durability durability) {
    return durability == Durability.SYNC ? (long) SYNCED * from : from;
  }

  /** Whether a value of that length is written as it comes from a stream. */
  boolean takesStream(DatabaseHandle database, int length) {
    return length >= (long) STREAMED * from && isApart(database, length) && !log.isRetained();
  }

  private static boolean isApart(DatabaseHandle database, int length) {
    int apart = database.options().separateValuesFrom();
    return apart > 0 && length >= apart;
  }

  /** Operations with references in the place of some values, whose files it holds until its end. */
  final class Written implements AutoCloseable {
    private final BatchBuffer batch = new BatchBuffer();
    private final List<Long> held = new ArrayList<>();

    BatchBuffer batch() {
      return batch;
    }

    private void put(
        DatabaseHandle database,
        byte[] key,
        long due,
        int length,
        Content content,
        @Nullable StallLimit limit,
        boolean isStream) {
      Reference reference = write(database, key, due, length, content, limit, isStream);
      held.add(reference.file());
      batch.addReference(database, key, reference);
    }

    @Override
    public void close() {
      held.forEach(files::letGo);
    }
  }

  /** A put of one value. */
  Written put(
      DatabaseHandle database,
      byte[] key,
      @Nullable Duration after,
      int length,
      Content content,
      @Nullable StallLimit limit,
      boolean isStream) {
    Written written = new Written();
    long due = due(database, after);
    written.put(database, key, due, length, content, limit, isStream);
    return written;
  }

  private static long due(DatabaseHandle database, @Nullable Duration after) {
    return after == null ? ExpiringKind.NEVER : database.view().get().kinds().expiring().due(after);
  }

  /** Whether a batch has a value that is written before it is logged. */
  boolean takesOneOf(BatchBuffer batch, Durability durability) {
    return batch.longestValue() >= from(durability) && !log.isRetained() && !gate.logsAll();
  }

  /** A batch, with references in the place of its large values. */
  Written of(BatchBuffer batch, Durability durability, @Nullable StallLimit limit) {
    Written written = new Written();
    written.batch.hasIndexEntries(batch.hasIndexEntries());
    try {
      Operations.Reader each = new Operations.Reader();
      each.reset(batch.operations().array(), 0, batch.operations().length());
      while (each.next()) {
        add(batch.databaseWithId(each.databaseId()), each, written, from(durability), limit);
      }
      return written;
    } catch (RuntimeException | Error e) {
      written.close();
      throw e;
    }
  }

  private void add(
      DatabaseHandle database,
      Operations.Reader each,
      Written to,
      long least,
      @Nullable StallLimit limit) {
    if (each.isRangeDelete()) {
      to.batch.deleteRange(database, each.rangeFrom(), each.rangeTo());
      return;
    }
    int keyEnd = each.keyOffset() + each.keyLength();
    byte[] key = Arrays.copyOfRange(each.array(), each.keyOffset(), keyEnd);
    ByteBuffer stored = ByteBuffer.wrap(each.array(), each.valueOffset(), each.valueLength());
    boolean expires = each.kind() == ExpiringKind.CODE;
    int length = each.valueLength() - (expires ? ExpiringKind.DUE_BYTES : 0);
    boolean isPut = expires || each.kind() == EntryKind.CODE_OF_PUT;
    if (isPut && length >= least && isApart(database, length)) {
      long due = expires ? stored.getLong() : ExpiringKind.NEVER;
      to.put(database, key, due, length, stored::get, limit, false);
    } else {
      EntryKind kind = database.view().get().kinds().ofCode(each.kind());
      byte[] value = new byte[each.valueLength()];
      stored.get(value);
      to.batch.add(database, kind, key, value);
    }
  }

  /**
   * The bytes of a stream as a value. Reading them ends as soon as they could not be put any more.
   */
  StreamedValue of(
      DatabaseHandle database, InputStream in, int length, @Nullable StallLimit limit) {
    int[] nextLook = {length - LOOK_BYTES};
    return new StreamedValue(
        in,
        length,
        left -> {
          checkWritable(database);
          if (left <= nextLook[0]) {
            nextLook[0] = left - LOOK_BYTES;
            room.onDisk(() -> log.requireRoomFor(left), limit);
          }
        });
  }

  private void checkWritable(DatabaseHandle database) {
    state.lifecycle().checkOpen();
    state.failure().check();
    if (!log.isBeingReplaced()) { // else the write waits once it has its turn
      log.checkSound();
    }
    database.checkNotDropped();
  }

  private Reference write(
      DatabaseHandle database,
      byte[] key,
      long due,
      int length,
      Content content,
      @Nullable StallLimit limit,
      boolean isStream) {
    checkWritable(database);
    room.onDisk(() -> log.requireRoomFor(length), limit);
    return files.put(
        database.id(),
        codecs.written(database.options().compression()),
        isStream,
        key,
        due,
        length,
        content);
  }
}
