package io.sifr.leveldb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** Random steps of an iterator are those of a {@link ListIterator} over the same entries. */
class SifrIteratorModelTest {
  private static final int STEPS = 3000;

  @TempDir Path parent;
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  private byte[] key() {
    return new byte[] {(byte) random.nextInt(256), (byte) random.nextInt(4)};
  }

  @RepeatedTest(10)
  void itIsAListIterator() throws IOException {
    Map<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    try (DB db =
        SifrDBFactory.INSTANCE.open(
            parent.resolve("db").toFile(), new Options().writeBufferSize(4096))) {
      write(db, expected);
      List<Map.Entry<byte[], byte[]>> entries = new ArrayList<>(expected.entrySet());
      try (DBIterator iterator = db.iterator()) {
        ListIterator<Map.Entry<byte[], byte[]>> model = entries.listIterator();
        for (int step = 0; step < STEPS; step++) {
          model = step(iterator, model, entries);
        }
      }
    }
  }

  private void write(DB db, Map<byte[], byte[]> expected) throws IOException {
    for (int i = random.nextInt(60); i > 0; i--) {
      try (WriteBatch batch = db.createWriteBatch()) {
        for (int j = random.nextInt(20); j > 0; j--) {
          byte[] key = key();
          if (random.nextInt(4) == 0) {
            batch.delete(key);
            expected.remove(key);
          } else {
            byte[] value = new byte[random.nextInt(50)];
            batch.put(key, value);
            expected.put(key, value);
          }
        }
        db.write(batch);
      }
    }
  }

  private ListIterator<Map.Entry<byte[], byte[]>> step(
      DBIterator iterator,
      ListIterator<Map.Entry<byte[], byte[]>> model,
      List<Map.Entry<byte[], byte[]>> entries) {
    assertThat(iterator.hasNext()).as("seed %d", seed).isEqualTo(model.hasNext());
    switch (random.nextInt(12)) {
      case 0 -> {
        byte[] key = key();
        iterator.seek(key);
        int place = 0;
        while (place < entries.size()
            && Arrays.compareUnsigned(entries.get(place).getKey(), key) < 0) {
          place++;
        }
        return entries.listIterator(place);
      }
      case 1 -> {
        if (random.nextInt(10) == 0) {
          iterator.seekToFirst();
          return entries.listIterator();
        } else if (random.nextInt(10) == 0) {
          iterator.seekToLast();
          return entries.listIterator(Math.max(0, entries.size() - 1));
        }
      }
      case 2, 3, 4 -> {
        if (model.hasNext()) {
          assertSame(iterator.peekNext(), entries.get(model.nextIndex()));
          assertSame(iterator.next(), model.next());
        }
      }
      case 5, 6, 7 -> {
        assertThat(iterator.hasPrev()).as("seed %d", seed).isEqualTo(model.hasPrevious());
        if (model.hasPrevious()) {
          assertSame(iterator.peekPrev(), entries.get(model.previousIndex()));
          assertSame(iterator.prev(), model.previous());
        }
      }
      case 8 -> assertThat(iterator.hasPrev()).as("seed %d", seed).isEqualTo(model.hasPrevious());
      default -> {
        if (model.hasNext()) {
          assertSame(iterator.peekNext(), entries.get(model.nextIndex()));
        }
      }
    }
    return model;
  }

  private void assertSame(Map.Entry<byte[], byte[]> actual, Map.Entry<byte[], byte[]> expected) {
    assertThat(actual.getKey()).as("seed %d", seed).isEqualTo(expected.getKey());
    assertThat(actual.getValue()).as("seed %d", seed).isEqualTo(expected.getValue());
  }
}
