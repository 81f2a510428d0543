package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.nothing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ByteBuffersAreReadAndWrittenTest {
  @TempDir Path directory;
  private Store store;
  private Database database;

  enum Kind {
    HEAP {
      @Override
      ByteBuffer of(byte[] bytes) {
        return ByteBuffer.wrap(bytes);
      }
    },
    DIRECT {
      @Override
      ByteBuffer of(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
      }
    },
    READ_ONLY {
      @Override
      ByteBuffer of(byte[] bytes) {
        return HEAP.of(bytes).asReadOnlyBuffer();
      }
    },
    READ_ONLY_DIRECT {
      @Override
      ByteBuffer of(byte[] bytes) {
        return DIRECT.of(bytes).asReadOnlyBuffer();
      }
    },
    SLICE {
      @Override
      ByteBuffer of(byte[] bytes) {
        return ByteBuffer.allocate(bytes.length + 1).put(1, bytes).slice(1, bytes.length);
      }
    };

    abstract ByteBuffer of(byte[] bytes);

    /** The text between others: what is not between position and limit must not matter. */
    ByteBuffer buffer(String text) {
      byte[] bytes = bytes("<<" + text + ">>>");
      return of(bytes).position(2).limit(bytes.length - 3);
    }
  }

  @BeforeEach
  void open() {
    store = SmallStores.open(directory);
    database = store.database();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest
  @EnumSource
  void theyAreWrittenFromPositionToLimit(Kind kind) {
    ByteBuffer key = kind.buffer("key");
    ByteBuffer value = kind.buffer("value");
    database.put(key, value);
    assertThat(SmallStores.content(database)).containsOnlyKeys("key").containsValue("value");
    assertThat(database.contains(key)).isTrue();
    assertThat(database.contains(value)).isFalse();
    database.delete(key);
    assertThat(database.contains(key)).isFalse();

    store.write(new WriteBatch().put(database, key, value).put(database, value, key));
    store.write(new WriteBatch().delete(database, value));
    assertThat(SmallStores.content(database)).containsOnlyKeys("key").containsValue("value");
    assertThat(key.position()).isEqualTo(2);
    assertThat(key.remaining()).isEqualTo(3);
    assertThat(value.position()).isEqualTo(2);
    assertThat(value.remaining()).isEqualTo(5);
    database.put(kind.buffer(""), kind.buffer(""));
    assertThat(SmallStores.content(database)).containsOnlyKeys("", "key");
  }

  @ParameterizedTest
  @EnumSource
  void aValueIsWrittenFromThePositionOnIfThereIsRoom(Kind kind) {
    database.put(bytes("key"), bytes("value"));
    ByteBuffer key = kind.buffer("key");
    for (ByteBuffer target :
        new ByteBuffer[] {ByteBuffer.allocate(10), ByteBuffer.allocateDirect(10)}) {
      target.put(bytes("12345"));
      assertThat(database.get(key, target)).isEqualTo(5);
      byte[] written = new byte[10];
      target.flip().get(written);
      assertThat(written).isEqualTo(bytes("12345value"));
    }
    ByteBuffer small = ByteBuffer.allocate(4);
    assertThat(database.get(key, small)).isEqualTo(5);
    assertThat(small).isEqualTo(ByteBuffer.allocate(4));
    assertThat(database.get(kind.buffer("other"), small)).isEqualTo(-1);
    assertThat(key.remaining()).isEqualTo(3);
  }

  @Test
  void missingOnesAreRefused() {
    ByteBuffer buffer = ByteBuffer.allocate(1);
    ByteBuffer none = nothing();
    assertThatThrownBy(() -> database.put(none, buffer)).hasMessage("key is null");
    assertThatThrownBy(() -> database.put(buffer, none)).hasMessage("value is null");
    assertThatThrownBy(() -> database.get(none, buffer)).hasMessage("key is null");
    assertThatThrownBy(() -> database.get(buffer, none)).hasMessage("target is null");
    assertThatThrownBy(() -> database.delete(none)).hasMessage("key is null");
    assertThatThrownBy(() -> database.contains(none)).hasMessage("key is null");
  }
}
