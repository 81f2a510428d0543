package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BufferCursor;
import io.sifr.KeyRange;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cursor, what it should find, and the key that it should stand on. */
final class ModelCursor implements AutoCloseable {
  private final String database;
  private final BufferCursor<ByteBuf> cursor;
  private final KeyRange range;
  private final boolean isAtSnapshot;
  private final Supplier<String> describe;
  private NavigableMap<byte[], byte[]> expected;

  /** Null before the first or after the last. */
  private byte @Nullable [] at;

  private boolean afterLast;
  private boolean fresh = true;

  /**
   * @param isAtSnapshot whether it stays there
   * @param expected the entries of its range
   * @param describe for the message of a failure
   */
  ModelCursor(
      String database,
      BufferCursor<ByteBuf> cursor,
      KeyRange range,
      boolean isAtSnapshot,
      NavigableMap<byte[], byte[]> expected,
      Supplier<String> describe) {
    this.database = database;
    this.cursor = cursor;
    this.range = range;
    this.isAtSnapshot = isAtSnapshot;
    this.expected = expected;
    this.describe = describe;
  }

  String database() {
    return database;
  }

  /** The entries of its range. */
  NavigableMap<byte[], byte[]> content() {
    return expected;
  }

  /** From now on it should find these. */
  void expect(NavigableMap<byte[], byte[]> content) {
    expected = content;
  }

  /** The key that it should stand on; null before the first or after the last. */
  byte @Nullable [] at() {
    return at;
  }

  /** Refreshes it, after which it should find what its database has now. */
  void refresh(NavigableMap<byte[], byte[]> present) {
    if (isAtSnapshot) {
      assertThatIllegalStateException().as(describe).isThrownBy(cursor::refresh);
      return;
    }
    cursor.refresh();
    assertThat(cursor.isValid()).as(describe).isFalse();
    expected = SortedMaps.part(present, range);
    at = null;
    afterLast = false;
    fresh = true;
  }

  /** Moves it anywhere, and compares where it stands. */
  void move(Draws draws) {
    byte[] target = draws.key();
    Map.Entry<byte[], byte[]> entry;
    boolean found;
    boolean forward = true;
    switch (draws.below(12)) {
      case 0 -> {
        found = cursor.first();
        entry = expected.firstEntry();
      }
      case 1 -> {
        found = cursor.last();
        entry = expected.lastEntry();
        forward = false;
      }
      case 2 -> {
        found = cursor.seek(target);
        entry = expected.ceilingEntry(target);
      }
      case 3 -> {
        found = cursor.seekBefore(target);
        entry = expected.lowerEntry(target);
        forward = false;
      }
      case 4, 5, 6 -> {
        found = cursor.previous();
        entry = before();
        forward = false;
      }
      default -> {
        found = cursor.next();
        entry = after();
      }
    }
    fresh = false;
    at = entry == null ? null : entry.getKey();
    afterLast = entry == null && forward;
    assertThat(found).as(describe).isEqualTo(entry != null);
    assertThat(cursor.isValid()).as(describe).isEqualTo(found);
    if (entry != null) {
      assertThat(cursor.key()).as(describe).isEqualTo(entry.getKey());
      assertThat(cursor.value()).as(describe).isEqualTo(entry.getValue());
      ByteBuf copied = Unpooled.buffer();
      cursor.copyKey(copied);
      cursor.copyValue(copied);
      assertThat(copied.readableBytes())
          .as(describe)
          .isEqualTo(entry.getKey().length + cursor.valueLength());
    }
  }

  private Map.@Nullable Entry<byte[], byte[]> before() {
    if (at != null) {
      return expected.lowerEntry(at);
    }
    return fresh || afterLast ? expected.lastEntry() : null;
  }

  private Map.@Nullable Entry<byte[], byte[]> after() {
    if (at != null) {
      return expected.higherEntry(at);
    }
    return fresh || !afterLast ? expected.firstEntry() : null;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
