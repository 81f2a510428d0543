package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BufferCursor;
import io.sifr.Database;
import io.sifr.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CursorCopiesIntoAnyBufferTest {
  /** Around the sizes at which values take other ways: remembered, through an array, by a view. */
  private static final int[] LENGTHS = {0, 1, 1024, 1025, 3000, 65_536, 65_537, 100_000, 7};

  @TempDir Path directory;

  @Test
  void afterWhatTheBufferHolds() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      for (int i = 0; i < LENGTHS.length; i++) {
        database.put(key(i), value(i));
        if (i % 3 == 0) {
          store.flush();
        }
      }
      for (ByteBuf buffer : List.of(heap(), Unpooled.directBuffer(1), Unpooled.compositeBuffer())) {
        try (BufferCursor<ByteBuf> cursor = database.byteBufs().cursor()) {
          for (int i = 0; i < LENGTHS.length; i++) {
            assertThat(cursor.next()).isTrue();
            assertCopies(cursor, i, buffer);
          }
          assertThat(cursor.next()).isFalse();
          for (int i = LENGTHS.length - 1; i >= 0; i--) {
            assertThat(cursor.previous()).isTrue();
            assertCopies(cursor, i, buffer);
          }
        } finally {
          buffer.release();
        }
      }
    }
  }

  /** A piece of an array, so that the buffer's and the array's indexes differ. */
  private static ByteBuf heap() {
    return Unpooled.wrappedBuffer(new byte[200_000], 11, 150_000).clear();
  }

  private static void assertCopies(BufferCursor<ByteBuf> cursor, int index, ByteBuf buffer) {
    buffer.clear();
    buffer.writeByte(42);
    cursor.copyKey(buffer);
    cursor.copyValue(buffer);
    buffer.writeByte(43);
    assertThat(buffer.readByte()).isEqualTo((byte) 42);
    assertThat(read(buffer, key(index).length)).isEqualTo(key(index));
    assertThat(read(buffer, LENGTHS[index])).isEqualTo(value(index));
    assertThat(buffer.readByte()).isEqualTo((byte) 43);
    assertThat(buffer.isReadable()).isFalse();
  }

  private static byte[] read(ByteBuf buffer, int length) {
    byte[] bytes = new byte[length];
    buffer.readBytes(bytes);
    return bytes;
  }

  @Test
  void unlessThatHasNoRoom() {
    try (Store store = SmallStores.open(directory)) {
      store.database().put(key(3), value(3));
      try (BufferCursor<ByteBuf> cursor = store.database().byteBufs().cursor()) {
        assertThat(cursor.next()).isTrue();
        ByteBuf small = Unpooled.wrappedBuffer(new byte[100]).clear();
        assertThat(cursor.copyValue(small)).isEqualTo(LENGTHS[3]);
        assertThat(small.writerIndex()).isZero();
        assertThat(cursor.value()).isEqualTo(value(3));
      }
    }
  }

  private static byte[] value(int index) {
    byte[] value = new byte[LENGTHS[index]];
    new Random(index).nextBytes(value);
    return value;
  }
}
