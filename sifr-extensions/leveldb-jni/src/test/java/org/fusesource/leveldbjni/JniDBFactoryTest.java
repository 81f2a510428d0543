package org.fusesource.leveldbjni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.fusesource.leveldbjni.JniDBFactory.asString;
import static org.fusesource.leveldbjni.JniDBFactory.bytes;
import static org.fusesource.leveldbjni.JniDBFactory.factory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.fusesource.leveldbjni.internal.NativeDB;
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
    assertThat(JniDBFactory.VERSION).isNotEmpty();
  }

  /** As the services of Hadoop and Spark do it. */
  private static DB openOrCreate(File directory) throws IOException {
    Options options = new Options();
    options.createIfMissing(false);
    try {
      return factory.open(directory, options);
    } catch (NativeDB.DBException e) {
      if (!e.isNotFound() && !String.valueOf(e.getMessage()).contains(" does not exist ")) {
        throw e;
      }
      options.createIfMissing(true);
      return factory.open(directory, options);
    }
  }

  @Test
  void aProgramThatAsksWhetherThereIsOneIsNotChangedEither() throws IOException {
    File directory = new File(parent, "state");
    try (DB db = openOrCreate(directory)) {
      db.put(bytes("key"), bytes("value"));
    }
    try (DB db = openOrCreate(directory)) {
      assertThat(asString(db.get(bytes("key")))).isEqualTo("value");
    }
  }

  @Test
  void whetherThereIsNoneIsToldInBothWays() {
    File directory = new File(parent, "nothing");
    assertThatExceptionOfType(NativeDB.DBException.class)
        .isThrownBy(() -> factory.open(directory, new Options().createIfMissing(false)))
        .withMessageContaining(" does not exist ")
        .matches(NativeDB.DBException::isNotFound);
    assertThat(directory).doesNotExist();
  }

  @Test
  void aDamagedOneIsToldFromOneThatIsNotThere() throws IOException {
    File directory = new File(parent, "damaged");
    factory.open(directory, new Options()).close();
    Files.writeString(directory.toPath().resolve("CURRENT"), "sifr 1 damaged\n");
    assertThatExceptionOfType(NativeDB.DBException.class)
        .isThrownBy(() -> factory.open(directory, new Options()))
        .withMessageContaining("is damaged at offset")
        .matches(e -> !e.isNotFound());
  }

  /** Programs delete what they could not open with that exception. */
  @Test
  void whatIsNoProgramsToDeleteIsAnotherException() throws IOException {
    File directory = new File(parent, "used");
    try (DB db = factory.open(directory, new Options())) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> factory.open(directory, new Options()))
          .withMessageContaining("already open")
          .isNotInstanceOf(NativeDB.DBException.class);
      db.put(bytes("key"), bytes("value"));
    }
    Files.writeString(directory.toPath().resolve("CURRENT"), "MANIFEST-000002\n");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> factory.open(directory, new Options()))
        .withMessageContaining("it is a LevelDB directory")
        .isNotInstanceOf(NativeDB.DBException.class);
  }
}
