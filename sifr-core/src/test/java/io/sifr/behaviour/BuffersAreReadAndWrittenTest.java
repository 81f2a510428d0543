package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.nothing;
import static io.sifr.behaviour.SmallStores.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sifr.BufferCursor;
import io.sifr.BufferView;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.WriteOptions;
import io.sifr.spi.MergeOperators;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The views of a database by buffers do what the database does, with buffers of every kind. */
class BuffersAreReadAndWrittenTest {
  private static final int ROOM = 10;

  @TempDir Path directory;
  private Store store;
  private Database database;

  /**
   * A kind of buffers.
   *
   * @param holding makes one of bytes, which holds what lies between the first two and the last
   *     three of them: all others must not matter
   * @param withRoom makes one with room for that many bytes and no more
   * @param content what one holds
   * @param written what was written to one with room
   */
  private record Kind<B>(
      String name,
      Function<Database, BufferView<B>> view,
      Function<byte[], B> holding,
      IntFunction<B> withRoom,
      Function<B, byte[]> content,
      Function<B, byte[]> written) {
    B of(String text) {
      return holding.apply(bytes("<<" + text + ">>>"));
    }

    @Nullable String text(@Nullable B buffer) {
      return buffer == null ? null : SmallStores.text(content.apply(buffer));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Kind<ByteBuf> netty(
      String name, Function<byte[], ByteBuf> of, IntFunction<ByteBuf> withRoom) {
    return new Kind<>(
        name,
        Database::byteBufs,
        bytes -> of.apply(bytes).setIndex(2, bytes.length - 3),
        room -> withRoom.apply(room).clear(),
        ByteBufUtil::getBytes,
        ByteBufUtil::getBytes);
  }

  private static Kind<ByteBuffer> java(
      String name, Function<byte[], ByteBuffer> of, IntFunction<ByteBuffer> withRoom) {
    return new Kind<>(
        name,
        Database::byteBuffers,
        bytes -> of.apply(bytes).position(2).limit(bytes.length - 3),
        withRoom,
        buffer -> ByteBufUtil.getBytes(Unpooled.wrappedBuffer(buffer)),
        buffer -> ByteBufUtil.getBytes(Unpooled.wrappedBuffer(buffer.duplicate().flip())));
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  static Stream<Kind<?>> kinds() {
    return Stream.of(
        java("heap", ByteBuffer::wrap, ByteBuffer::allocate),
        java("direct", BuffersAreReadAndWrittenTest::direct, ByteBuffer::allocateDirect),
        java(
            "read-only",
            bytes -> ByteBuffer.wrap(bytes).asReadOnlyBuffer(),
            room -> ByteBuffer.allocate(room + 1).slice(1, room)),
        java(
            "read-only direct",
            bytes -> direct(bytes).asReadOnlyBuffer(),
            room -> ByteBuffer.allocateDirect(room + 1).slice(1, room)),
        java(
            "slice",
            bytes -> ByteBuffer.allocate(bytes.length + 1).put(1, bytes).slice(1, bytes.length),
            ByteBuffer::allocate),
        netty("Netty's", Unpooled::wrappedBuffer, room -> Unpooled.buffer(0, room)),
        netty(
            "Netty's direct",
            bytes -> Unpooled.wrappedBuffer(direct(bytes)),
            room -> Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(room))),
        netty(
            "Netty's composite",
            bytes -> Unpooled.wrappedBuffer(new byte[0], Arrays.copyOf(bytes, 1), tail(bytes)),
            room -> Unpooled.wrappedBuffer(new byte[room + 1], 1, room)));
  }

  private static byte[] tail(byte[] bytes) {
    return Arrays.copyOfRange(bytes, 1, bytes.length);
  }

  @BeforeEach
  void open() {
    store = SmallStores.open(directory);
    DatabaseOptions appending =
        DatabaseOptions.builder().mergeOperator(MergeOperators.APPEND.name()).build();
    database = store.createDatabase("buffers", appending);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void assertContent(String... keysAndValues) {
    List<String> content = new ArrayList<>();
    SmallStores.content(database)
        .forEach(
            (key, value) -> {
              content.add(key);
              content.add(value);
            });
    assertThat(content).containsExactly(keysAndValues);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void writesTakeWhatTheBuffersHold(Kind<B> kind) {
    BufferView<B> view = kind.view.apply(database);
    B key = kind.of("key");
    B value = kind.of("value");
    view.put(key, value);
    view.put(kind.of("other"), value, WriteOptions.SYNC);
    assertContent("key", "value", "other", "value");
    view.merge(key, kind.of("+"));
    view.merge(key, kind.of("-"), WriteOptions.UNLOGGED);
    assertContent("key", "value+-", "other", "value");
    view.delete(key);
    view.delete(kind.of("other"), WriteOptions.BUFFERED);
    assertContent();
    view.put(kind.of(""), kind.of(""));
    assertContent("", "");
    assertThat(kind.text(key)).isEqualTo("key");
    assertThat(kind.text(value)).isEqualTo("value");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void batchesTakeThemToo(Kind<B> kind) {
    BufferView<B> view = kind.view.apply(database);
    B key = kind.of("key");
    B value = kind.of("value");
    store.write(
        new WriteBatch()
            .put(view, key, value)
            .put(view, value, key, Duration.ofDays(1))
            .merge(view, key, kind.of("+")));
    assertContent("key", "value+", "value", "key");
    store.write(new WriteBatch().delete(view, value));
    assertContent("key", "value+");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void rangesHaveThemAsBounds(Kind<B> kind) {
    BufferView<B> view = kind.view.apply(database);
    for (String key : List.of("a", "b", "c", "d", "e")) {
      view.put(kind.of(key), kind.of("1"));
    }
    view.deleteRange(view.range(kind.of("b"), kind.of("d")));
    assertContent("a", "1", "d", "1", "e", "1");
    view.deleteRange(view.range(kind.of("e"), null), WriteOptions.SYNC);
    assertContent("a", "1", "d", "1");
    view.deleteRange(view.range(null, kind.of("b")));
    assertContent("d", "1");
    assertThat(database.count(view.range(null, null))).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void readsReturnNewBuffers(Kind<B> kind) throws Exception {
    BufferView<B> view = kind.view.apply(database);
    B key = kind.of("key");
    B missing = kind.of("missing");
    view.put(key, kind.of("value"));
    try (Snapshot snapshot = store.snapshot()) {
      ReadOptions before = ReadOptions.at(snapshot);
      view.put(key, kind.of("later"));
      view.put(missing, kind.of("later"));
      assertThat(kind.text(view.get(key, before))).isEqualTo("value");
      assertThat(view.get(missing, before)).isNull();
      assertThat(view.contains(key, before)).isTrue();
      assertThat(view.contains(missing, before)).isFalse();
      assertThat(kind.text(view.getAsync(key, before).get())).isEqualTo("value");
      assertThat(view.getAsync(missing, before).get()).isNull();
      assertThat(view.multiGet(List.of(missing, key), before).stream().map(kind::text))
          .containsExactly(null, "value");
      List<String> seen = new ArrayList<>();
      Consumer<ByteBuf> reader = value -> seen.add(text(ByteBufUtil.getBytes(value)));
      assertThat(view.read(key, reader, before)).isTrue();
      assertThat(view.read(missing, reader, before)).isFalse();
      assertThat(view.read(missing, reader)).isTrue();
      assertThat(seen).containsExactly("value", "later");
    }
    store.flush();
    assertThat(kind.text(view.get(key))).isEqualTo("later");
    assertThat(view.contains(missing)).isTrue();
    assertThat(kind.text(view.getAsync(key).get())).isEqualTo("later");
    assertThat(view.multiGet(List.of(key)).stream().map(kind::text)).containsExactly("later");
    assertThat(kind.text(key)).isEqualTo("key");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void valuesAreAppendedIfThereIsRoom(Kind<B> kind) {
    BufferView<B> view = kind.view.apply(database);
    view.put(kind.of("key"), kind.of("value"));
    view.put(kind.of("empty"), kind.of(""));
    for (int round = 0; round < 2; round++) {
      B target = kind.withRoom.apply(ROOM);
      assertThat(view.get(kind.of("key"), target)).isEqualTo(5);
      assertThat(view.get(kind.of("empty"), target)).isZero();
      assertThat(view.get(kind.of("missing"), target)).isEqualTo(-1);
      assertThat(view.get(kind.of("key"), target, ReadOptions.DEFAULT)).isEqualTo(5);
      assertThat(kind.written.apply(target)).isEqualTo(bytes("valuevalue"));
      assertThat(view.get(kind.of("key"), target)).as("there is no room").isEqualTo(5);
      assertThat(view.get(kind.of("empty"), target)).isZero();
      assertThat(kind.written.apply(target)).isEqualTo(bytes("valuevalue"));
      store.flush(); // the second time from a file
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void conditionsCompareWhatTheyHold(Kind<B> kind) {
    BufferView<B> view = kind.view.apply(database);
    B key = kind.of("key");
    assertThat(view.putIfAbsent(key, kind.of("1"))).isNull();
    assertThat(kind.text(view.putIfAbsent(key, kind.of("2"), WriteOptions.SYNC))).isEqualTo("1");
    assertThat(view.compareAndSet(key, kind.of("2"), kind.of("3"))).isFalse();
    assertThat(view.compareAndSet(key, null, kind.of("3"))).isFalse();
    assertThat(view.compareAndSet(key, kind.of("1"), kind.of("3"), WriteOptions.SYNC)).isTrue();
    assertThat(kind.text(view.getAndPut(key, kind.of("4")))).isEqualTo("3");
    assertThat(kind.text(view.getAndPut(key, kind.of("5"), WriteOptions.SYNC))).isEqualTo("4");
    assertContent("key", "5");
    assertThat(kind.text(view.getAndDelete(key))).isEqualTo("5");
    assertThat(view.getAndDelete(key, WriteOptions.SYNC)).isNull();
    assertThat(view.compareAndSet(key, null, kind.of("6"))).isTrue();
    assertThat(view.compareAndSet(key, kind.of("6"), null)).isTrue();
    assertContent();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void cursorsSeekAndCopy(Kind<B> kind) {
    BufferView<B> view = kind.view.apply(database);
    view.put(kind.of("a"), kind.of("long value"));
    view.put(kind.of("c"), kind.of("value"));
    try (BufferCursor<B> cursor = view.cursor()) {
      assertAtC(kind, cursor);
    }
    try (BufferCursor<B> cursor = view.cursor(view.range(kind.of("b"), null))) {
      assertThat(cursor.seekBefore(kind.of("c"))).isFalse();
      assertThat(cursor.first()).isTrue();
      assertThat(cursor.key()).isEqualTo(bytes("c"));
    }
    try (Transaction transaction = store.beginTransaction()) {
      transaction.put(database, bytes("c"), bytes("other"));
      try (BufferCursor<B> cursor = transaction.cursor(view, KeyRange.all())) {
        assertThat(cursor.last()).isTrue();
        B target = kind.withRoom.apply(ROOM);
        assertThat(cursor.copyValue(target)).isEqualTo(5);
        assertThat(cursor.copyKey(target)).isEqualTo(1);
        assertThat(cursor.copyValue(target)).as("there is no room").isEqualTo(5);
        assertThat(kind.written.apply(target)).isEqualTo(bytes("otherc"));
        assertThat(cursor.previous()).isTrue();
        assertThat(cursor.copyValue(target)).as("there is no room").isEqualTo(10);
        assertThat(kind.written.apply(target)).isEqualTo(bytes("otherc"));
      }
    }
  }

  private static <B> void assertAtC(Kind<B> kind, BufferCursor<B> cursor) {
    assertThat(cursor.seek(kind.of("b"))).isTrue();
    B target = kind.withRoom.apply(ROOM);
    assertThat(cursor.copyKey(target)).isEqualTo(1);
    assertThat(cursor.copyValue(target)).isEqualTo(5);
    assertThat(cursor.copyValue(target)).as("there is no room").isEqualTo(5);
    assertThat(kind.written.apply(target)).isEqualTo(bytes("cvalue"));
    B full = kind.withRoom.apply(0);
    assertThat(cursor.copyKey(full)).as("there is no room").isEqualTo(1);
    assertThat(kind.written.apply(full)).isEmpty();
    assertThat(cursor.seekBefore(kind.of("c"))).isTrue();
    assertThat(cursor.key()).isEqualTo(bytes("a"));
    assertThat(cursor.copyValue(target)).as("there is no room").isEqualTo(10);
    assertThat(kind.written.apply(target)).isEqualTo(bytes("cvalue"));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <B> void missingOnesAreRefused(Kind<B> kind) {
    BufferView<B> view = kind.view.apply(database);
    B given = kind.of("key");
    B none = nothing();
    assertRefused("key is null", () -> view.put(none, given));
    assertRefused("value is null", () -> view.put(given, none));
    assertRefused("key is null", () -> view.merge(none, given));
    assertRefused("operand is null", () -> view.merge(given, none));
    assertRefused("key is null", () -> view.get(none));
    assertRefused("key is null", () -> view.get(none, given));
    assertRefused("target is null", () -> view.get(given, none));
    assertRefused("key is null", () -> view.delete(none));
    assertRefused("key is null", () -> view.contains(none));
    assertRefused("key is null", () -> view.read(none, value -> {}));
    assertRefused("reader is null", () -> view.read(given, nothing()));
    assertRefused("key is null", () -> view.multiGet(Arrays.asList(given, none)));
    assertRefused("keys is null", () -> view.multiGet(nothing()));
    assertRefused("key is null", () -> view.getAsync(none));
    assertRefused("value is null", () -> view.putIfAbsent(given, none));
    assertRefused("key is null", () -> view.compareAndSet(none, given, given));
    assertRefused("value is null", () -> view.getAndPut(given, none));
    assertRefused("key is null", () -> view.getAndDelete(none));
    assertRefused("range is null", () -> view.deleteRange(nothing()));
    assertRefused("options is null", () -> view.put(given, given, nothing()));
    assertRefused("options is null", () -> view.delete(given, nothing()));
    assertRefused("options is null", () -> view.get(given, given, nothing()));
    assertRefused("options is null", () -> view.read(given, value -> {}, nothing()));
    assertRefused("options is null", () -> view.getAsync(given, nothing()));
    assertRefused("view is null", () -> new WriteBatch().delete(nothing(), given));
    assertRefused("key is null", () -> new WriteBatch().put(view, none, given));
    try (BufferCursor<B> cursor = view.cursor()) {
      assertRefused("key is null", () -> cursor.seek(none));
      assertRefused("target is null", () -> cursor.copyKey(none));
    }
    assertContent();
  }

  private static void assertRefused(String message, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
