package io.sifr.internal.engine.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.search.MultiSearch;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.LatencyHistogram;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.StoreView;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers point queries. A query enters a read epoch, loads the newest view, searches it and copies
 * the value out before it leaves the epoch; nothing it reads can be unmapped meanwhile, and it
 * writes no memory that another reader writes.
 */
public final class ReadPath {
  /** Sequence number that stands for "the newest version". */
  public static final long NOW = Long.MAX_VALUE;

  private final ReadEpochs epochs;
  private final PointSearch search;
  private final LongSupplier visibleSequence;
  private final SearchScheme usual;
  private final LatencyHistogram latencies;
  private final Counters.Reading.Reads times;

  /**
   * @param usual the scheme of queries that name none
   * @param latencies measures gets
   * @param times measures them, too, apart for those that nothing disturbed
   */
  public ReadPath(
      ReadEpochs epochs,
      PointSearch search,
      LongSupplier visibleSequence,
      SearchScheme usual,
      LatencyHistogram latencies,
      Counters.Reading.Reads times) {
    this.epochs = epochs;
    this.search = search;
    this.visibleSequence = visibleSequence;
    this.usual = usual;
    this.latencies = latencies;
    this.times = times;
  }

  /** The value of a key, or null. */
  public byte @Nullable [] get(
      DatabaseHandle database, byte[] key, long sequence, @Nullable SearchScheme scheme) {
    long start = LatencyHistogram.begin();
    EntryLimits.checkKey(key);
    Lookup lookup = Lookup.takingReferences(key, 0, key.length);
    byte @Nullable [] value;
    int ticket = epochs.enter();
    try {
      value = find(database, sequence, scheme, ticket, lookup) ? copy(database, lookup) : null;
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
    ended(start, database, lookup);
    return value;
  }

  /**
   * Appends the value of a key to a buffer, if it has room for it.
   *
   * @return bytes of the value; -1 when there is none
   */
  public int get(
      DatabaseHandle database,
      ByteBuf key,
      long sequence,
      @Nullable SearchScheme scheme,
      ByteBuf target) {
    long start = LatencyHistogram.begin();
    int length = EntryLimits.checkKey(key);
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
    Lookup lookup = Lookup.takingReferences(array, offset, length);
    int found = -1;
    int ticket = epochs.enter();
    try {
      if (find(database, sequence, scheme, ticket, lookup)) {
        if (lookup.isReference()) {
          found = Separated.of(database, lookup).appendTo(target);
        } else {
          found = lookup.length();
          if (found <= target.maxWritableBytes()) {
            lookup.copyTo(target);
          }
        }
      }
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
    ended(start, database, lookup);
    return found;
  }

  /** Passes the value of a key to a reader without a copy; false when there is none. */
  public boolean read(
      DatabaseHandle database,
      byte[] key,
      long sequence,
      @Nullable SearchScheme scheme,
      Consumer<ByteBuf> reader) {
    EntryLimits.checkKey(key);
    Lookup lookup = Lookup.takingReferences(key, 0, key.length);
    int ticket = epochs.enter();
    try {
      if (!find(database, sequence, scheme, ticket, lookup)) {
        return false;
      }
      if (lookup.isReference()) {
        show(ByteBuffer.wrap(copy(database, lookup)).asReadOnlyBuffer(), reader);
      } else {
        lookup.show(value -> show(value, reader));
      }
      return true;
    } finally {
      lookup.release();
      epochs.exit(ticket);
      database.wastedReads().sample(lookup);
    }
  }

  /**
   * A part of a value.
   *
   * @param from its first byte, counted from 0
   * @param length bytes of it
   * @param target receives it
   * @param offset where in the target
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  public record Part(int from, int length, byte[] target, int offset) {
    /** How many of its bytes a value has. */
    int within(int valueBytes) {
      return Math.max(0, Math.min(length, valueBytes - from));
    }
  }

  /** Copies a part of a value. Returns how many bytes were copied; -1 when there is no value. */
  public int read(
      DatabaseHandle database,
      byte[] key,
      long sequence,
      @Nullable SearchScheme scheme,
      Part part) {
    int whole = part(database, key, sequence, scheme, part);
    return whole < 0 ? -1 : part.within(whole);
  }

  /** Bytes of the value of a key; -1 when there is none. */
  public int length(
      DatabaseHandle database, byte[] key, long sequence, @Nullable SearchScheme scheme) {
    return part(database, key, sequence, scheme, new Part(0, 0, Bytes.EMPTY, 0));
  }

  /**
   * Copies a part of the value of a key, as far as the value has it.
   *
   * @return bytes of the whole value; -1 when there is none
   */
  public int part(
      DatabaseHandle database,
      byte[] key,
      long sequence,
      @Nullable SearchScheme scheme,
      Part part) {
    EntryLimits.checkKey(key);
    Lookup lookup = Lookup.takingReferences(key, 0, key.length);
    int ticket = epochs.enter();
    try {
      if (!find(database, sequence, scheme, ticket, lookup)) {
        return -1;
      }
      if (lookup.isReference()) {
        return Separated.of(database, lookup).copy(part);
      }
      int length = lookup.length();
      int count = part.within(length);
      if (count > 0) {
        lookup.copyPart(part.from, count, part.target, part.offset);
      }
      return length;
    } finally {
      lookup.release();
      epochs.exit(ticket);
      database.wastedReads().sample(lookup);
    }
  }

  private static byte[] copy(DatabaseHandle database, Lookup found) {
    return found.isReference() ? Separated.of(database, found).copy() : found.copy();
  }

  private static void show(ByteBuffer value, Consumer<ByteBuf> reader) {
    ByteBuf view = Unpooled.wrappedBuffer(value);
    try {
      reader.accept(view);
    } finally {
      view.release(view.refCnt());
    }
  }

  /** Whether a key has a value. */
  public boolean contains(
      DatabaseHandle database, byte[] key, long sequence, @Nullable SearchScheme scheme) {
    long start = LatencyHistogram.begin();
    EntryLimits.checkKey(key);
    Lookup lookup = Lookup.takingReferences(key, 0, key.length);
    boolean isFound;
    int ticket = epochs.enter();
    try {
      isFound = find(database, sequence, scheme, ticket, lookup);
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
    ended(start, database, lookup);
    return isFound;
  }

  /**
   * The values of several keys, all at one sequence number.
   *
   * @return in the order of the keys; null where there is none
   */
  public List<byte @Nullable []> multiGet(
      DatabaseHandle database, List<byte[]> keys, long sequence, @Nullable SearchScheme scheme) {
    SortedKeys sorted = new SortedKeys(keys);
    int ticket = epochs.enter();
    try {
      database.checkReadable();
      StoreView view = database.view().get(); // before the number, see find
      MultiSearch found = new MultiSearch(search, view, sorted.keys(), limit(sequence), ticket);
      found.find(orUsual(scheme) != SearchScheme.SERIAL);
      for (int i = 0; i < sorted.keys().length; i++) {
        database.wastedReads().sample(found.probe(i));
      }
      return sorted.inGivenOrder(found::value);
    } finally {
      epochs.exit(ticket);
    }
  }

  /**
   * The value of a key, without I/O in the caller: what is in memory is searched at once, the rest
   * by a search thread.
   *
   * @param result makes of the value, or of null when there is none, what the future gets
   */
  public <T extends @Nullable Object> CompletableFuture<T> getAsync(
      DatabaseHandle database,
      byte[] key,
      long sequence,
      @Nullable SearchScheme scheme,
      Function<byte @Nullable [], T> result) {
    EntryLimits.checkKey(key);
    Lookup lookup = new Lookup(key, 0, key.length);
    int ticket = epochs.enter();
    try {
      database.checkReadable();
      StoreView view = database.view().get(); // before the number, see find
      long limit = limit(sequence);
      lookup.lookFor(limit);
      int source = search.findInMemory(view, lookup);
      if (source < 0) {
        database.wastedReads().sample(lookup);
        boolean isValue = source == PointSearch.FOUND && !lookup.isTombstone();
        return CompletableFuture.completedFuture(result.apply(isValue ? lookup.copy() : null));
      }
      Lookup own = new Lookup(key.clone(), 0, key.length);
      own.lookFor(limit);
      AsyncGet<T> remainder =
          new AsyncGet<>(database, search, view, source, own, orUsual(scheme), result);
      return remainder.handOver(ticket);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    } finally {
      lookup.release();
      epochs.exit(ticket);
    }
  }

  /** What a database holds from a key, inclusive, to another, exclusive, about. */
  public RangeEstimation estimate(
      DatabaseHandle database, byte @Nullable [] from, byte @Nullable [] to) {
    int ticket = epochs.enter();
    try {
      database.checkReadable();
      return new RangeEstimation(database.view().get(), from, to);
    } finally {
      epochs.exit(ticket);
    }
  }

  private boolean find(
      DatabaseHandle database,
      long sequence,
      @Nullable SearchScheme scheme,
      int ticket,
      Lookup lookup) {
    database.checkReadable();
    // The view first: compactions in a newer view may have dropped versions that an older sequence
    // number needs.
    StoreView view = database.view().get();
    lookup.lookFor(limit(sequence));
    return search.find(orUsual(scheme), view, lookup, ticket) && !lookup.isTombstone();
  }

  /**
   * Counts a get that has left its epoch, if it is one of those that are measured.
   *
   * @param start see {@link LatencyHistogram#begin}
   */
  private void ended(long start, DatabaseHandle database, Lookup lookup) {
    if (start != 0) {
      latencies.end(start);
      times.ended(start);
      database.wastedReads().got(lookup);
    }
  }

  /**
   * A value that is apart from its key. The caller is inside the epoch in which it was found: the
   * SST that refers to the value keeps its file.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Separated(SeparatedKind kind, byte[] key, Reference reference) {
    static Separated of(DatabaseHandle database, Lookup found) {
      int from = found.keyOffset();
      byte[] key = Arrays.copyOfRange(found.key(), from, from + found.keyLength());
      return new Separated(
          database.view().get().kinds().separated(),
          key,
          SeparatedKind.referenceOf(key, found.copy()));
    }

    byte[] copy() {
      return kind.read(key, reference);
    }

    /** Copies a part of it, as far as it has it. Returns the length of the whole. */
    int copy(Part part) {
      int length = reference.valueBytes();
      int count = part.within(length);
      if (count > 0) {
        kind.read(key, reference, part.from, count, part.target, part.offset);
      }
      return length;
    }

    /** Appends it to a buffer, if it has room for it. Returns its length. */
    int appendTo(ByteBuf target) {
      int length = reference.valueBytes();
      if (length <= target.maxWritableBytes()) {
        if (target.hasArray()) {
          target.ensureWritable(length);
          int end = target.writerIndex();
          kind.read(key, reference, 0, length, target.array(), target.arrayOffset() + end);
          target.writerIndex(end + length);
        } else {
          target.writeBytes(copy());
        }
      }
      return length;
    }
  }

  private SearchScheme orUsual(@Nullable SearchScheme scheme) {
    return scheme == null ? usual : scheme;
  }

  private long limit(long sequence) {
    return sequence == NOW ? visibleSequence.getAsLong() : sequence;
  }
}
