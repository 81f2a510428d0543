package org.fusesource.leveldbjni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.fusesource.leveldbjni.JniDBFactory.asString;
import static org.fusesource.leveldbjni.JniDBFactory.bytes;
import static org.fusesource.leveldbjni.JniDBFactory.factory;

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
class JniDBFactoryTest {
  @TempDir File parent;

  @Test
  void aProgramThatUsesItIsNotChanged() throws IOException {
    File directory = new File(parent, "example");
    Options options = new Options();
    options.createIfMissing(true);
    JniDBFactory.pushMemoryPool(1024 * 512);
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
    JniDBFactory.popMemoryPool();
    factory.repair(directory, options);
    factory.destroy(directory, options);
    assertThat(directory).doesNotExist();
  }
}
