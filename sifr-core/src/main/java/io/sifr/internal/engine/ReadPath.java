package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.util.ReadEpochs;
import io.sifr.internal.view.StoreView;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers point queries. A query enters a read epoch, loads the newest view, searches it and copies
 * the value out before it leaves the epoch; nothing it touches can be unmapped meanwhile, and it
 * writes no word that another reader writes.
 */
final class ReadPath {
  private final ReadEpochs epochs;
  private final LongSupplier visibleSequence;
  private final BooleanSupplier isClosed;

  ReadPath(ReadEpochs epochs, LongSupplier visibleSequence, BooleanSupplier isClosed) {
    this.epochs = epochs;
    this.visibleSequence = visibleSequence;
    this.isClosed = isClosed;
  }

  byte @Nullable [] get(DatabaseHandle database, byte[] key, long sequence) {
    BatchBuffer.checkKey(key);
    Lookup lookup = new Lookup();
    int ticket = epochs.enter();
    try {
      if (!find(database, key, 0, key.length, sequence, lookup)) {
        return null;
      }
      byte[] value = new byte[lookup.length()];
      lookup.copyTo(value, 0);
      return value;
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
  }

  boolean get(DatabaseHandle database, ByteBuf key, long sequence, ByteBuf target) {
    int length = BatchBuffer.checkKey(key);
    byte[] array;
    int offset;
    if (key.hasArray()) {
      array = key.array();
      offset = key.arrayOffset() + key.readerIndex();
    } else {
      array = new byte[length];
      offset = 0;
      key.getBytes(key.readerIndex(), array);
    }
    Lookup lookup = new Lookup();
    int ticket = epochs.enter();
    try {
      if (!find(database, array, offset, length, sequence, lookup)) {
        return false;
      }
      lookup.copyTo(target);
      return true;
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
  }

  boolean read(DatabaseHandle database, byte[] key, long sequence, Consumer<ByteBuf> reader) {
    BatchBuffer.checkKey(key);
    Lookup lookup = new Lookup();
    int ticket = epochs.enter();
    try {
      if (!find(database, key, 0, key.length, sequence, lookup)) {
        return false;
      }
      ByteBuf view = Unpooled.wrappedBuffer(lookup.view());
      try {
        reader.accept(view);
      } finally {
        view.release(view.refCnt());
      }
      return true;
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
  }

  boolean contains(DatabaseHandle database, byte[] key, long sequence) {
    BatchBuffer.checkKey(key);
    Lookup lookup = new Lookup();
    int ticket = epochs.enter();
    try {
      return find(database, key, 0, key.length, sequence, lookup);
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
  }

  private boolean find(
      DatabaseHandle database, byte[] key, int offset, int length, long sequence, Lookup into) {
    if (isClosed.getAsBoolean()) {
      throw StoreEngine.closed();
    }
    database.checkNotDropped();
    // The view first: merges behind a newer view may have dropped versions that an older sequence
    // number needs.
    StoreView view = database.view().get();
    long limit = sequence == StoreEngine.NOW ? visibleSequence.getAsLong() : sequence;
    return PointSearch.find(view, key, offset, length, limit, into) && !into.isTombstone();
  }
}
