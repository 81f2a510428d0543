package io.sifr.hosts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.network.shuffle.ExternalShuffleBlockResolver;
import org.apache.spark.network.shuffle.protocol.ExecutorShuffleInfo;
import org.apache.spark.network.shuffledb.StoreVersion;
import org.apache.spark.network.util.LevelDBProvider;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.iq80.leveldb.DB;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark's shuffle service makes its database, finds it again, and replaces one that is damaged. */
class SparkTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final byte[] VALUE = "value".getBytes(UTF_8);

  @TempDir Path parent;

  private File directory() {
    return parent.resolve("registeredExecutors").toFile();
  }

  private DB open() throws IOException {
    return LevelDBProvider.initLevelDB(directory(), new StoreVersion(1, 0), new ObjectMapper());
  }

  @Test
  void aDatabaseIsMadeAndFoundAgain() throws IOException {
    try (DB db = open()) {
      db.put(KEY, VALUE);
    }
    try (DB db = open()) {
      assertThat(db.get(KEY)).isEqualTo(VALUE);
    }
  }

  @Test
  void aDamagedDatabaseIsReplaced() throws IOException {
    try (DB db = open()) {
      db.put(KEY, VALUE);
    }
    Files.writeString(directory().toPath().resolve("CURRENT"), "sifr 1 damaged\n");
    try (DB db = open()) {
      assertThat(db.get(KEY)).isNull();
      db.put(KEY, VALUE);
    }
    try (DB db = open()) {
      assertThat(db.get(KEY)).isEqualTo(VALUE);
    }
  }

  /** With leveldbjni it deletes the files of a database that is in use: it takes any failure for damage. */
  @Test
  void whatIsInUseOrOfLevelDbIsNotDeleted() throws IOException {
    try (DB db = open()) {
      db.put(KEY, VALUE);
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(this::open)
          .withMessageContaining("already open");
      assertThat(db.get(KEY)).isEqualTo(VALUE);
    }
    try (DB db = open()) {
      assertThat(db.get(KEY)).isEqualTo(VALUE);
    }
    Files.writeString(directory().toPath().resolve("CURRENT"), "MANIFEST-000002\n");
    String[] before = directory().list();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(this::open)
        .withMessageContaining("it is a LevelDB directory");
    assertThat(directory().list()).containsExactlyInAnyOrder(before);
  }

  @Test
  void executorsAreKnownAfterARestart() throws Exception {
    TransportConf conf =
        new TransportConf(
            "shuffle",
            new MapConfigProvider(Map.of("spark.shuffle.service.db.backend", "LEVELDB")));
    ExecutorShuffleInfo executor =
        new ExecutorShuffleInfo(
            new String[] {"/tmp/a"}, 5, "org.apache.spark.shuffle.sort.SortShuffleManager");
    ExternalShuffleBlockResolver first = new ExternalShuffleBlockResolver(conf, directory());
    first.registerExecutor("application", "executor", executor);
    close(first);
    ExternalShuffleBlockResolver second = new ExternalShuffleBlockResolver(conf, directory());
    assertThat(second.getRegisteredExecutorsSize()).isEqualTo(1);
    assertThat(directory().list()).contains("CURRENT");
    close(second);
  }

  private static void close(ExternalShuffleBlockResolver resolver) throws Exception {
    var close = ExternalShuffleBlockResolver.class.getDeclaredMethod("close");
    close.setAccessible(true);
    close.invoke(resolver);
  }
}
