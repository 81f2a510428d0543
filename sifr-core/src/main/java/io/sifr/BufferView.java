package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.conditions.ConditionalWrites;
import io.sifr.internal.engine.read.ReadPath;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.BufferKind;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@code Database} whose keys and values are in buffers: {@code Database.byteBufs} or {@code
 * Database.byteBuffers}. Every method does what the one of that name does in {@code Database}, with
 * the same exceptions; what concerns ranges or the whole database is there. It holds nothing of its
 * own, needs no closing, and is safe for any number of threads; the buffers are used only by the
 * call that they are given to.
 *
 * <p>The bytes of a buffer that is given are those between reader and writer index of a {@link
 * ByteBuf}, and those from position to limit of a {@link java.nio.ByteBuffer}; neither changes.
 * Buffers that are returned are new, on the heap, and need no release. Reads into a {@code target}
 * copy the value once, from where it is to the buffer of the caller.
 *
 * @param <B> the type of the buffers
 */
public final class BufferView<B> {
  private final StoreEngine engine;
  private final ReadPath reads;
  private final WritePath writes;
  private final ConditionalWrites conditional;
  private final DatabaseHandle handle;
  private final BufferKind<B> kind;

  BufferView(StoreEngine engine, DatabaseHandle handle, BufferKind<B> kind) {
    this.engine = engine;
    this.reads = engine.reads();
    this.writes = engine.writes();
    this.conditional = engine.conditionalWrites();
    this.handle = handle;
    this.kind = kind;
  }

  /** The range from a key, inclusive, to another, exclusive; null: no bound. */
  public KeyRange range(@Nullable B from, @Nullable B to) {
    KeyRange above = from == null ? KeyRange.all() : KeyRange.atLeast(bytes("from", from));
    return to == null ? above : above.and(KeyRange.lessThan(bytes("to", to)));
  }

  /** The value of a key now, or null when it has none. */
  public @Nullable B get(B key) {
    return get(key, ReadOptions.DEFAULT);
  }

  /** The value of a key, read with options, or null when it has none. */
  public @Nullable B get(B key, ReadOptions options) {
    return orNull(reads.get(handle, bytes("key", key), sequence(options), options.searchScheme()));
  }

  /** As {@link #get(Object, Object, ReadOptions)}, of the present. */
  public int get(B key, B target) {
    return get(key, target, ReadOptions.DEFAULT);
  }

  /**
   * Appends the value of a key to the caller's buffer: from the writer index of a {@link ByteBuf}
   * on, which grows if necessary, or from the position of a {@link java.nio.ByteBuffer} on; the
   * index or position is then after the value. If there is not so much room up to the maximum
   * capacity or the limit, the buffer stays as it is.
   *
   * @return bytes of the value, also if they did not fit; -1 when the key has no value
   */
  public int get(B key, B target, ReadOptions options) {
    ByteBuf room = kind.writable(Arguments.notNull("target", target));
    int length =
        reads.get(
            handle,
            kind.key(Arguments.notNull("key", key)),
            sequence(options),
            options.searchScheme(),
            room);
    kind.wasAppended(target, room);
    return length;
  }

  /** As {@link #read(Object, Consumer, ReadOptions)}, of the present. */
  public boolean read(B key, Consumer<ByteBuf> reader) {
    return read(key, reader, ReadOptions.DEFAULT);
  }

  /**
   * Passes the value of a key to a reader without copying it. The buffer is read-only and valid
   * only until the reader returns; a later use of it throws. The reader must be quick: until it
   * returns, space cannot be reclaimed.
   *
   * @return whether the key has a value
   */
  public boolean read(B key, Consumer<ByteBuf> reader, ReadOptions options) {
    return reads.read(
        handle,
        bytes("key", key),
        sequence(options),
        options.searchScheme(),
        Arguments.notNull("reader", reader));
  }

  /** As {@link #read(Object, int, int, Object, ReadOptions)}, of the present. */
  public int read(B key, int from, int length, B target) {
    return read(key, from, length, target, ReadOptions.DEFAULT);
  }

  /**
   * Appends a part of the value of a key to the caller's buffer, as {@link #get(Object, Object,
   * ReadOptions)} does with a whole one; otherwise as {@link Database#read(byte[], int, int,
   * byte[], ReadOptions)}.
   *
   * @param length bytes of the part, at most as many as the buffer has room for
   * @return how many bytes were appended; -1 if the key has no value
   */
  public int read(B key, int from, int length, B target, ReadOptions options) {
    ByteBuf room = kind.writable(Arguments.notNull("target", target));
    Arguments.checkPart(from, length, room.maxWritableBytes());
    boolean isOnHeap = room.hasArray();
    if (isOnHeap) {
      room.ensureWritable(length);
    }
    byte[] array = isOnHeap ? room.array() : new byte[length];
    int end = room.writerIndex();
    int offset = isOnHeap ? room.arrayOffset() + end : 0;
    ReadPath.Part part = new ReadPath.Part(from, length, array, offset);
    int count =
        reads.read(handle, bytes("key", key), sequence(options), options.searchScheme(), part);
    if (isOnHeap) {
      room.writerIndex(end + Math.max(0, count));
    } else {
      room.writeBytes(array, 0, Math.max(0, count));
    }
    kind.wasAppended(target, room);
    return count;
  }

  /** As {@link Database#valueReader}. */
  public @Nullable ValueReader valueReader(B key, ReadOptions options) {
    return ValueReader.open(engine, handle, bytes("key", key), options);
  }

  /** Whether a key has a value now. */
  public boolean contains(B key) {
    return contains(key, ReadOptions.DEFAULT);
  }

  /** Whether a key has a value, read with options. */
  public boolean contains(B key, ReadOptions options) {
    return reads.contains(handle, bytes("key", key), sequence(options), options.searchScheme());
  }

  /** As {@link #multiGet(List, ReadOptions)}, of the present. */
  public List<@Nullable B> multiGet(List<B> keys) {
    return multiGet(keys, ReadOptions.DEFAULT);
  }

  /** The values of several keys, see {@code Database.multiGet}. */
  public List<@Nullable B> multiGet(List<B> keys, ReadOptions options) {
    List<byte[]> arrays =
        Arguments.notNull("keys", keys).stream().map(key -> bytes("key", key)).toList();
    List<@Nullable B> values = new ArrayList<>(arrays.size());
    for (byte[] value : reads.multiGet(handle, arrays, sequence(options), options.searchScheme())) {
      values.add(orNull(value));
    }
    return values;
  }

  /** As {@link #getAsync(Object, ReadOptions)}, of the present. */
  public CompletableFuture<@Nullable B> getAsync(B key) {
    return getAsync(key, ReadOptions.DEFAULT);
  }

  /** The value of a key in the future, see {@code Database.getAsync}. */
  public CompletableFuture<@Nullable B> getAsync(B key, ReadOptions options) {
    return reads.getAsync(
        handle, bytes("key", key), sequence(options), options.searchScheme(), this::orNull);
  }

  /** A cursor over everything as it is now. */
  public BufferCursor<B> cursor() {
    return cursor(KeyRange.all());
  }

  /** A cursor over a range as it is now. */
  public BufferCursor<B> cursor(KeyRange range) {
    return cursor(range, ReadOptions.DEFAULT);
  }

  /** A cursor over a range, with options. */
  public BufferCursor<B> cursor(KeyRange range, ReadOptions options) {
    return new BufferCursor<>(
        engine.openCursor(
            handle,
            sequence(options),
            Arguments.notNull("range", range).from(),
            range.to(),
            options.searchScheme()),
        kind);
  }

  /** Sets the value of a key. */
  public void put(B key, B value) {
    put(key, value, WriteOptions.DEFAULT);
  }

  /** Sets the value of a key, with options. */
  public void put(B key, B value, WriteOptions options) {
    writes.put(
        handle,
        readable("key", key),
        readable("value", value),
        Arguments.notNull("options", options));
  }

  /** As {@link Database#putAsync}. The buffers may be changed when the call has returned. */
  public CompletableFuture<Void> putAsync(B key, B value, WriteOptions options) {
    ByteBuf itsKey = readable("key", key);
    ByteBuf itsValue = readable("value", value);
    return engine
        .asyncWrites()
        .write(
            Arguments.notNull("options", options),
            how -> writes.put(handle, itsKey, itsValue, how));
  }

  /** As {@link Database#put(byte[], long, InputStream, WriteOptions)}. */
  public void put(B key, long length, InputStream value, WriteOptions options) throws IOException {
    writes.put(
        handle,
        bytes("key", key),
        length,
        Arguments.notNull("value", value),
        Arguments.notNull("options", options));
  }

  /** Merges an operand into the value of a key. */
  public void merge(B key, B operand) {
    merge(key, operand, WriteOptions.DEFAULT);
  }

  /** Merges an operand into the value of a key, with options. */
  public void merge(B key, B operand, WriteOptions options) {
    writes.merge(
        handle, bytes("key", key), bytes("operand", operand), Arguments.withoutExpiry(options));
  }

  /** Removes a key; no error if it does not exist. */
  public void delete(B key) {
    delete(key, WriteOptions.DEFAULT);
  }

  /** Removes a key, with options. */
  public void delete(B key, WriteOptions options) {
    writes.delete(handle, readable("key", key), Arguments.withoutExpiry(options));
  }

  /** Removes all keys of a range. */
  public void deleteRange(KeyRange range) {
    deleteRange(range, WriteOptions.DEFAULT);
  }

  /** Removes all keys of a range, with options. */
  public void deleteRange(KeyRange range, WriteOptions options) {
    KeyRange bounds = Arguments.notNull("range", range);
    writes.deleteRange(handle, bounds.from(), bounds.to(), Arguments.withoutExpiry(options));
  }

  /** Sets the value of a key unless it has one. Returns the one it has, or null. */
  @CanIgnoreReturnValue
  public @Nullable B putIfAbsent(B key, B value) {
    return putIfAbsent(key, value, WriteOptions.DEFAULT);
  }

  /** Sets the value of a key unless it has one, with options. Returns the one it has, or null. */
  @CanIgnoreReturnValue
  public @Nullable B putIfAbsent(B key, B value, WriteOptions options) {
    return orNull(
        conditional.putIfAbsent(
            handle,
            bytes("key", key),
            bytes("value", value),
            Arguments.notNull("options", options)));
  }

  /** Sets or removes the value of a key if it has a given one. Returns whether it had. */
  public boolean compareAndSet(B key, @Nullable B expected, @Nullable B value) {
    return compareAndSet(key, expected, value, WriteOptions.DEFAULT);
  }

  /** Sets or removes the value of a key if it has a given one, with options. */
  public boolean compareAndSet(
      B key, @Nullable B expected, @Nullable B value, WriteOptions options) {
    return conditional.compareAndSet(
        handle,
        bytes("key", key),
        expected == null ? null : bytes("expected", expected),
        value == null ? null : bytes("value", value),
        value == null ? Arguments.withoutExpiry(options) : Arguments.notNull("options", options));
  }

  /** Sets the value of a key, and returns the one before, or null. */
  public @Nullable B getAndPut(B key, B value) {
    return getAndPut(key, value, WriteOptions.DEFAULT);
  }

  /** Sets the value of a key, with options, and returns the one before, or null. */
  public @Nullable B getAndPut(B key, B value, WriteOptions options) {
    return orNull(
        conditional.getAndPut(
            handle,
            bytes("key", key),
            bytes("value", value),
            Arguments.notNull("options", options)));
  }

  /** Removes a key, and returns its value, or null. */
  public @Nullable B getAndDelete(B key) {
    return getAndDelete(key, WriteOptions.DEFAULT);
  }

  /** Removes a key, with options, and returns its value, or null. */
  public @Nullable B getAndDelete(B key, WriteOptions options) {
    return orNull(
        conditional.getAndDelete(handle, bytes("key", key), Arguments.withoutExpiry(options)));
  }

  /** What a buffer holds, without a copy. */
  ByteBuf readable(String name, B buffer) {
    return kind.readable(Arguments.notNull(name, buffer));
  }

  /** What a buffer holds, for who keeps it no longer than the call. */
  byte[] bytes(String name, B buffer) {
    return kind.bytes(Arguments.notNull(name, buffer));
  }

  private @Nullable B orNull(byte @Nullable [] value) {
    return value == null ? null : kind.around(value);
  }

  private long sequence(ReadOptions options) {
    return Arguments.notNull("options", options).sequence(engine);
  }

  DatabaseHandle handle() {
    return handle;
  }

  BufferKind<B> kind() {
    return kind;
  }
}
