package io.sifr.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;

@SuppressWarnings("JdkObsolete") // YCSB wants a Vector
class SifrClientTest {
  private static final String TABLE = "usertable";

  @TempDir Path directory;
  private SifrClient client = new SifrClient();

  @BeforeEach
  void join() throws DBException {
    client = newClient();
  }

  @AfterEach
  void leave() throws DBException {
    client.cleanup();
  }

  @Test
  void anInsertedRecordIsRead() {
    assertThat(client.insert(TABLE, "user1", Fields.of("a", "1", "b", "2"))).isEqualTo(Status.OK);

    assertThat(read("user1", null)).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(read("user1", Set.of("b"))).isEqualTo(Map.of("b", "2"));
  }

  @Test
  void anInsertReplacesTheWholeRecord() {
    client.insert(TABLE, "user1", Fields.of("a", "1", "b", "2"));
    client.insert(TABLE, "user1", Fields.of("c", "3"));

    assertThat(read("user1", null)).isEqualTo(Map.of("c", "3"));
  }

  @Test
  void anUpdateChangesItsFieldsAndKeepsTheOthers() {
    client.insert(TABLE, "user1", Fields.of("a", "1", "b", "2"));

    assertThat(client.update(TABLE, "user1", Fields.of("b", "two", "c", "3"))).isEqualTo(Status.OK);

    assertThat(read("user1", null)).isEqualTo(Map.of("a", "1", "b", "two", "c", "3"));
  }

  @Test
  void whatIsMissingIsNotFound() {
    Map<String, ByteIterator> result = new HashMap<>();

    assertThat(client.read(TABLE, "user1", null, result)).isEqualTo(Status.NOT_FOUND);
    assertThat(result).isEmpty();
    assertThat(client.update(TABLE, "user1", Fields.of("a", "1"))).isEqualTo(Status.NOT_FOUND);
    assertThat(client.read(TABLE, "user1", null, result)).isEqualTo(Status.NOT_FOUND);
  }

  @Test
  void aDeletedRecordIsNotFoundAndDeletingItAgainIsNoError() {
    client.insert(TABLE, "user1", Fields.of("a", "1"));

    assertThat(client.delete(TABLE, "user1")).isEqualTo(Status.OK);
    assertThat(client.read(TABLE, "user1", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    assertThat(client.delete(TABLE, "user1")).isEqualTo(Status.OK);
  }

  @Test
  void tablesAreDatabasesOfTheirNames() throws DBException {
    client.insert(TABLE, "user1", Fields.of("a", "1"));
    client.insert("other", "user1", Fields.of("a", "2"));
    client.cleanup();

    try (Store store = Store.open(directory)) {
      assertThat(store.databaseNames()).contains(TABLE, "other");
    }
    client = newClient();
    assertThat(read("user1", null)).isEqualTo(Map.of("a", "1"));
  }

  @Test
  void aScanGoesThroughTheKeysInOrderFromItsStartOn() {
    for (int i : new int[] {5, 3, 9, 1, 7}) {
      client.insert(TABLE, "user" + i, Fields.of("n", "" + i, "m", "x"));
    }

    assertThat(scan("user3", 3)).containsExactly("3", "5", "7");
    assertThat(scan("user4", 2)).containsExactly("5", "7");
    assertThat(scan("", 100)).containsExactly("1", "3", "5", "7", "9");
    assertThat(scan("user7", 100)).containsExactly("7", "9");
    assertThat(scan("user9", 1)).containsExactly("9");
    assertThat(scan("userA", 1)).isEmpty();
    assertThat(scan("user3", 0)).isEmpty();
  }

  @Test
  void aScanReadsTheFieldsThatAreWanted() {
    client.insert(TABLE, "user1", Fields.of("a", "1", "b", "2"));
    Vector<HashMap<String, ByteIterator>> all = new Vector<>();
    Vector<HashMap<String, ByteIterator>> some = new Vector<>();

    client.scan(TABLE, "user1", 1, null, all);
    client.scan(TABLE, "user1", 1, Set.of("b"), some);

    assertThat(Fields.texts(all.get(0))).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(Fields.texts(some.get(0))).isEqualTo(Map.of("b", "2"));
  }

  @Test
  void updatesOfTheSameRecordByManyThreadsAreAllKept() throws Exception {
    int threads = 4;
    int updates = 2000;
    client.insert(TABLE, "user1", Fields.of("all", "0"));
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Future<?>> running = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      String field = "field" + thread;
      running.add(
          executor.submit(
              () -> {
                SifrClient own = newClient();
                try {
                  for (int i = 1; i <= updates; i++) {
                    assertThat(own.update(TABLE, "user1", Fields.of(field, "" + i)))
                        .isEqualTo(Status.OK);
                    // Nobody else writes this field, so what was written must be there.
                    assertThat(texts(own, "user1", null)).containsEntry(field, "" + i);
                  }
                } finally {
                  own.cleanup();
                }
                return null;
              }));
    }
    for (Future<?> thread : running) {
      thread.get();
    }
    executor.shutdown();

    assertThat(read("user1", null))
        .hasSize(threads + 1)
        .containsEntry("field0", "" + updates)
        .containsEntry("field3", "" + updates);
  }

  @Test
  void whatTheStoreRefusesIsAnError() {
    String tooLong = "k".repeat(65537);

    assertThat(client.insert(TABLE, tooLong, Fields.of("a", "1"))).isEqualTo(Status.ERROR);
    assertThat(client.insert("", "user1", Fields.of("a", "1"))).isEqualTo(Status.ERROR);
  }

  @Test
  void aValueThatIsNoRecordIsAnError() throws DBException {
    client.cleanup();
    try (Store store = Store.open(directory)) {
      store
          .openOrCreateDatabase(TABLE)
          .put("user1".getBytes(StandardCharsets.UTF_8), new byte[] {100, 1});
    }
    client = newClient();

    assertThat(client.read(TABLE, "user1", null, new HashMap<>())).isEqualTo(Status.ERROR);
    assertThat(client.update(TABLE, "user1", Fields.of("a", "1"))).isEqualTo(Status.ERROR);
    assertThat(client.scan(TABLE, "", 10, null, new Vector<>())).isEqualTo(Status.ERROR);
  }

  @Test
  void aClientThatIsNotInitialisedAnswersWithErrors() {
    SifrClient lone = new SifrClient();

    assertThat(lone.read(TABLE, "user1", null, new HashMap<>())).isEqualTo(Status.ERROR);
    assertThat(lone.delete(TABLE, "user1")).isEqualTo(Status.ERROR);
  }

  private SifrClient newClient() throws DBException {
    Properties properties = new Properties();
    properties.setProperty("sifr.dir", directory.toString());
    SifrClient made = new SifrClient();
    made.setProperties(properties);
    made.init();
    return made;
  }

  private Map<String, String> read(String key, @Nullable Set<String> fields) {
    return texts(client, key, fields);
  }

  private static Map<String, String> texts(
      SifrClient from, String key, @Nullable Set<String> fields) {
    Map<String, ByteIterator> result = new HashMap<>();
    assertThat(from.read(TABLE, key, fields, result)).isEqualTo(Status.OK);
    return Fields.texts(result);
  }

  private List<String> scan(String start, int count) {
    Vector<HashMap<String, ByteIterator>> result = new Vector<>();
    assertThat(client.scan(TABLE, start, count, Set.of("n"), result)).isEqualTo(Status.OK);
    return result.stream().map(record -> Fields.texts(record).get("n")).toList();
  }
}
