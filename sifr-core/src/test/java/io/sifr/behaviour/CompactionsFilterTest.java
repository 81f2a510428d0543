package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import io.sifr.spi.CompactionFilter;
import io.sifr.spi.CompactionFilter.Decision;
import io.sifr.spi.CompactionFilter.Entry;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.Gate;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compactions write what a filter lets them, and nothing else that is read changes. */
class CompactionsFilterTest {
  @TempDir Path parent;

  /** The keys that the filter was asked about. */
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());

  private final CompactionFilter filter =
      filter(
          entry -> {
            asked.add(text(entry.key()));
            String value = new String(entry.value(), UTF_8);
            return value.startsWith("old")
                ? Decision.DROP
                : value.startsWith("v1 ")
                    ? Decision.replaceBy(bytes("v2 " + value.substring(3)))
                    : Decision.KEEP;
          });

  private static CompactionFilter filter(Function<Entry, Decision> decision) {
    return new CompactionFilter() {
      @Override
      public String name() {
        return "by value";
      }

      @Override
      public Decision decide(Entry entry) {
        return decision.apply(entry);
      }
    };
  }

  private static DatabaseOptions with(CompactionFilter chosen) {
    return DatabaseOptions.builder().compactionFilter(chosen).build();
  }

  private Store open(CompactionFilter registered) {
    return Store.builder(parent.resolve("store"))
        .options(SmallStores.options().keptLogBytes(0).build())
        .compactionFilter(registered)
        .open();
  }

  private static void put(Database database, String key, String value) {
    database.put(bytes(key), bytes(value));
  }

  private static @Nullable String get(Database database, String key) {
    return text(database.get(bytes(key)));
  }

  @Test
  void itDropsAndReplaces() {
    try (Store store = open(filter)) {
      Database database = store.createDatabase("data", with(filter));
      put(database, "a", "old one");
      put(database, "b", "v1 text");
      put(database, "c", "new one");
      store.flush();
      assertThat(content(database)).hasSize(3).containsEntry("a", "old one");
      assertThat(asked).isEmpty();
      database.compact();
      assertThat(content(database)).isEqualTo(Map.of("b", "v2 text", "c", "new one"));
      assertThat(asked).containsExactly("a", "b", "c");
      assertThat(store.statistics().get(Metric.COMPACTION_FILTER_DROPS)).isEqualTo(1);
      assertThat(store.statistics().get(Metric.COMPACTION_FILTER_REPLACEMENTS)).isEqualTo(1);
      assertThat(store.statistics().get(Metric.COMPACTION_FILTER_FAILURES)).isZero();
      assertThat(database.count(KeyRange.all())).isEqualTo(2);
    }
    try (Store store = open(filter)) {
      Database database = store.database("data");
      assertThat(content(database)).isEqualTo(Map.of("b", "v2 text", "c", "new one"));
      assertThat(database.options().compactionFilter()).isEqualTo("by value");
    }
  }

  /** What is below a version that is dropped stays hidden. */
  @Test
  void noOlderVersionIsThereAgain() {
    try (Store store = open(filter)) {
      Database database = store.createDatabase("data", with(filter));
      put(database, "key", "new at first");
      put(database, "zzz", "new");
      store.flush();
      database.compact();
      put(database, "key", "old later");
      store.flush();
      database.compact(KeyRange.prefix(bytes("key")));
      assertThat(get(database, "key")).isNull();
      database.compact();
      assertThat(content(database)).isEqualTo(Map.of("zzz", "new"));
    }
  }

  @Test
  void aSnapshotKeepsWhatItSees() {
    try (Store store = open(filter)) {
      Database database = store.createDatabase("data", with(filter));
      put(database, "a", "old one");
      put(database, "b", "v1 text");
      try (Snapshot snapshot = store.snapshot()) {
        put(database, "c", "old, and newer than the snapshot");
        store.flush();
        database.compact();
        assertThat(asked).containsExactly("c");
        assertThat(text(database.get(bytes("a"), ReadOptions.at(snapshot)))).isEqualTo("old one");
        assertThat(text(database.get(bytes("b"), ReadOptions.at(snapshot)))).isEqualTo("v1 text");
        assertThat(content(database)).isEqualTo(Map.of("a", "old one", "b", "v1 text"));
      }
      database.compact();
      assertThat(content(database)).isEqualTo(Map.of("b", "v2 text"));
    }
  }

  /** A newer write that is not part of the compaction counts. */
  @Test
  void whatIsWrittenAgainStays() {
    try (Store store = open(filter)) {
      Database database = store.createDatabase("data", with(filter));
      put(database, "a", "old one");
      store.flush();
      put(database, "a", "new one");
      database.delete(bytes("b"));
      database.compact();
      assertThat(content(database)).isEqualTo(Map.of("a", "new one"));
    }
  }

  @Test
  void expiringValuesStayExpiring() {
    Instant[] now = {Instant.parse("2024-02-03T12:00:00Z")};
    InstantSource clock = () -> now[0];
    try (Store store =
        Store.builder(parent.resolve("store")).clock(clock).compactionFilter(filter).open()) {
      Database database =
          store.createDatabase(
              "data", with(filter).toBuilder().expireAfter(Duration.ofHours(1)).build());
      put(database, "a", "v1 expires");
      put(database, "b", "old");
      database.put(bytes("c"), bytes("v1 stays"), WriteOptions.builder().neverExpire().build());
      store.flush();
      database.compact();
      assertThat(content(database)).isEqualTo(Map.of("a", "v2 expires", "c", "v2 stays"));
      now[0] = now[0].plus(Duration.ofHours(2));
      assertThat(content(database)).isEqualTo(Map.of("c", "v2 stays"));
      asked.clear();
      database.compact();
      assertThat(asked).containsExactly("c");
    }
  }

  /** They are read only if the filter asks for them. */
  @Test
  void valuesApartAreFiltered() {
    List<Integer> lengths = new ArrayList<>();
    CompactionFilter byLength =
        filter(
            entry -> {
              lengths.add(entry.valueLength());
              return switch (entry.valueLength()) {
                case 100_000 -> Decision.DROP;
                case 100_001 -> Decision.replaceBy(new byte[70_000]);
                case 100_002 -> Decision.replaceBy(new byte[] {entry.value()[100_001]});
                default -> Decision.KEEP;
              };
            });
    try (Store store = open(byLength)) {
      Database database = store.createDatabase("data", with(byLength));
      byte[] last = new byte[100_002];
      last[100_001] = 7;
      database.put(bytes("a"), new byte[100_000]);
      database.put(bytes("b"), new byte[100_001]);
      database.put(bytes("c"), last);
      database.put(bytes("d"), new byte[100_003]);
      store.flush();
      database.compact();
      assertThat(lengths).contains(100_000, 100_001, 100_002, 100_003);
      assertThat(database.get(bytes("a"))).isNull();
      assertThat(database.get(bytes("b"))).isEqualTo(new byte[70_000]);
      assertThat(database.get(bytes("c"))).isEqualTo(new byte[] {7});
      assertThat(database.get(bytes("d"))).isEqualTo(new byte[100_003]);
    }
  }

  /** Whatever becomes of it: the cursor was begun after the compaction. */
  @Test
  void aCursorHasTheEntryOnWhichItStands() throws Exception {
    Gate gate = new Gate();
    gate.close();
    CompactionFilter slow =
        filter(
            entry -> {
              gate.pass();
              return Decision.DROP;
            });
    byte[] large = new byte[100_000];
    Arrays.fill(large, (byte) 3);
    try (Store store = open(slow)) {
      Database database =
          store.createDatabase("data", with(slow).toBuilder().separateValuesFrom(0).build());
      for (String key : List.of("a", "b", "c")) {
        database.put(bytes(key), large);
      }
      store.flush();
      assertThat(database.forest().ssts()).isGreaterThan(1);
      CompletableFuture<Void> compaction = CompletableFuture.runAsync(database::compact);
      gate.awaitArrival();
      try (Cursor cursor = database.cursor()) {
        assertThat(cursor.last()).isTrue();
        assertThat(cursor.previous()).isTrue();
        gate.open();
        compaction.get();
        assertThat(database.get(bytes("b"))).isNull();
        assertThat(text(cursor.key())).isEqualTo("b");
        assertThat(cursor.value()).isEqualTo(large);
      }
    }
  }

  @Test
  void afterAFailureTheEntryStays() {
    CompactionFilter failing =
        filter(
            entry ->
                switch (new String(entry.key(), UTF_8)) {
                  case "a" -> throw new IllegalStateException("on purpose");
                  case "b" -> throw new StackOverflowError("on purpose");
                  case "c" -> SmallStores.nothing();
                  default -> Decision.DROP;
                });
    try (Store store = open(failing)) {
      Database database = store.createDatabase("data", with(failing));
      for (String key : List.of("a", "b", "c", "d")) {
        put(database, key, "value");
      }
      store.flush();
      database.compact();
      assertThat(content(database)).containsOnlyKeys("a", "b", "c");
      assertThat(store.statistics().get(Metric.COMPACTION_FILTER_FAILURES)).isEqualTo(3);
    }
  }

  @Test
  void onesThatAreNotRegisteredAreRefused() {
    try (Store store = open(filter)) {
      Database unused = store.createDatabase("data", with(filter));
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  store.createDatabase(
                      "other", DatabaseOptions.builder().compactionFilter("unknown").build()))
          .withMessageContaining("the compaction filter \"unknown\" of database \"other\"")
          .withMessageContaining("Store.Builder.compactionFilter")
          .withMessageContaining("[by value]");
      put(store.database("data"), "a", "old");
    }
    Path directory = parent.resolve("store");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Store.open(directory))
        .withMessageContaining("\"by value\" of database \"data\" is not registered");
    try (Store store = Store.builder(directory).allowUnregistered().open()) {
      store.flush();
      store.database("data").compact();
      assertThat(content(store.database("data"))).isEqualTo(Map.of("a", "old"));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Store.builder(directory)
                    .compactionFilter(filter)
                    .compactionFilter(filter(entry -> Decision.KEEP))
                    .open())
        .withMessage("there are two compaction filters \"by value\"");
  }

  @Test
  void operandsAndFiltersDoNotGoTogether() {
    DatabaseOptions.Builder both =
        DatabaseOptions.builder().mergeOperator(MergeOperators.APPEND).compactionFilter("by value");
    assertThatIllegalArgumentException()
        .isThrownBy(both::build)
        .withMessageContaining("\"by value\"")
        .withMessageContaining("\"append\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DatabaseOptions.builder().compactionFilter(""))
        .withMessageContaining("compaction filter");
  }

  @Test
  void itIsSetAndRemovedLater() {
    try (Store store = open(filter)) {
      Database database = store.database();
      put(database, "a", "old");
      store.flush();
      database.compact();
      assertThat(content(database)).hasSize(1);
      store.alterDatabase(Store.DEFAULT_DATABASE, with(filter));
      database.compact();
      assertThat(content(database)).isEmpty();
      put(database, "b", "old");
      store.alterDatabase(Store.DEFAULT_DATABASE, DatabaseOptions.DEFAULT);
      database.compact();
      assertThat(content(database)).isEqualTo(new TreeMap<>(Map.of("b", "old")));
    }
  }
}
