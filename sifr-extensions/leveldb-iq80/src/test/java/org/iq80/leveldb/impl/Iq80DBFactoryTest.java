package org.iq80.leveldb.impl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.iq80.leveldb.impl.Iq80DBFactory.asString;
import static org.iq80.leveldb.impl.Iq80DBFactory.bytes;
import static org.iq80.leveldb.impl.Iq80DBFactory.factory;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program as they are written for the class of that name. */
class Iq80DBFactoryTest {
  @TempDir File parent;

  @Test
  void aProgramThatUsesItIsNotChanged() throws IOException {
    File directory = new File(parent, "example");
    Options options = new Options();
    options.createIfMissing(true);
    try (DB db = factory.open(directory, options)) {
      db.put(bytes("Tampa"), bytes("rocks"));
      assertThat(asString(db.get(bytes("Tampa")))).isEqualTo("rocks");
      try (WriteBatch batch = db.createWriteBatch()) {
        batch.delete(bytes("Denver"));
        batch.put(bytes("London"), bytes("red"));
        db.write(batch);
      }
      List<String> keys = new ArrayList<>();
      try (DBIterator iterator = db.iterator()) {
        for (iterator.seekToFirst(); iterator.hasNext(); iterator.next()) {
          keys.add(asString(iterator.peekNext().getKey()));
        }
      }
      assertThat(keys).containsExactly("London", "Tampa");
      assertThat(asString(db.get(bytes("nothing")))).isNull();
    }
    factory.repair(directory, options);
    factory.destroy(directory, options);
    assertThat(directory).doesNotExist();
    assertThat(Iq80DBFactory.VERSION).isNotEmpty();
    assertThat(Iq80DBFactory.CPU_DATA_MODEL).isIn(32, 64);
    assertThat(Iq80DBFactory.USE_MMAP).isTrue();
  }
}
