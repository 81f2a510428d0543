package io.sifr.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.ycsb.SifrClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Vector;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** The operations of YCSB on a cluster, here of one node. */
@Tag("process")
class YcsbOnAClusterTest {
  private static final String TABLE = ClusterNode.CACHE;

  @TempDir static Path directory;
  private static Cluster cluster;

  private SifrClient client;

  @BeforeAll
  static void startNode() throws Exception {
    cluster = new Cluster(directory, 1, 1);
    cluster.start(0);
  }

  @AfterAll
  static void stopNode() {
    cluster.close();
  }

  @BeforeEach
  void connect() throws DBException {
    client = newClient();
  }

  @AfterEach
  void disconnect() throws DBException {
    client.cleanup();
  }

  private static SifrClient newClient() throws DBException {
    SifrClient client = new SifrClient();
    Properties properties = new Properties();
    properties.setProperty("sifr.cluster", cluster.clientAddresses());
    properties.setProperty("sifr.dir", "not used");
    client.setProperties(properties);
    client.init();
    return client;
  }

  private static Map<String, ByteIterator> fields(String... namesAndValues) {
    Map<String, ByteIterator> fields = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(namesAndValues[i], new StringByteIterator(namesAndValues[i + 1]));
    }
    return fields;
  }

  private Map<String, String> read(String key) {
    Map<String, ByteIterator> read = new HashMap<>();
    assertThat(client.read(TABLE, key, null, read)).isEqualTo(Status.OK);
    Map<String, String> texts = new HashMap<>();
    read.forEach((field, value) -> texts.put(field, value.toString()));
    return texts;
  }

  @Test
  void recordsAreInsertedReadUpdatedAndDeleted() {
    assertThat(client.read(TABLE, "a", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    assertThat(client.update(TABLE, "a", fields("x", "1"))).isEqualTo(Status.NOT_FOUND);
    assertThat(client.insert(TABLE, "a", fields("x", "1", "y", "2"))).isEqualTo(Status.OK);
    assertThat(read("a")).isEqualTo(Map.of("x", "1", "y", "2"));
    assertThat(client.update(TABLE, "a", fields("y", "3"))).isEqualTo(Status.OK);
    assertThat(read("a")).isEqualTo(Map.of("x", "1", "y", "3"));
    assertThat(client.delete(TABLE, "a")).isEqualTo(Status.OK);
    assertThat(client.read(TABLE, "a", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
  }

  @Test
  void noUpdateIsLostToAnother() throws Exception {
    client.insert(TABLE, "b", fields("x", "1"));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> updates = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      String prefix = "of" + thread + "-";
      updates.add(
          threads.submit(
              () -> {
                SifrClient own = newClient();
                for (int i = 0; i < 25; i++) {
                  assertThat(own.update(TABLE, "b", fields(prefix + i, "1"))).isEqualTo(Status.OK);
                }
                own.cleanup();
                return null;
              }));
    }
    for (Future<?> update : updates) {
      update.get();
    }
    threads.shutdown();
    assertThat(read("b")).hasSize(101);
  }

  @Test
  @SuppressWarnings("JdkObsolete") // YCSB asks for a Vector
  void aClusterHasNoScansAndNoTablesThatItDoesNotKnow() {
    assertThat(client.scan(TABLE, "a", 10, null, new Vector<>())).isEqualTo(Status.NOT_IMPLEMENTED);
    assertThat(client.insert("unknown", "a", fields("x", "1"))).isEqualTo(Status.ERROR);
  }
}
