package io.sifr.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.spi.OrderedCodec;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a map over a database has beside what every concurrent sorted map has. */
class SifrMapTest {
  @TempDir Path directory;
  private Store store;
  private Database database;

  @BeforeEach
  void open() {
    store =
        TestStores.open(
            directory, StoreOptions.DEFAULT, new NoSyncFileSystem(new DiskFileSystem()));
    database = store.database();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private SifrMap<Integer, String> numbered(int entries) {
    SifrMap<Integer, String> map = SifrMap.over(database, Codecs.integers(), Codecs.strings());
    for (int i = 0; i < entries; i++) {
      map.put(i, "value " + i);
    }
    return map;
  }

  @Test
  void whatItHoldsIsThereWhenTheStoreIsOpenedAgain() {
    numbered(10).remove(3);
    store.close();
    open();
    assertThat(numbered(0)).hasSize(9).containsEntry(4, "value 4").doesNotContainKey(3);
  }

  @Test
  void itIsAViewOfTheDatabase() {
    SifrMap<Integer, String> map = numbered(3);
    database.delete(Codecs.integers().encode(1));
    assertThat(map).containsOnlyKeys(0, 2);
    map.clear();
    assertThat(database.firstEntry(KeyRange.all())).isNull();
  }

  @Test
  void drawnOperationsOnDrawnPartsDoWhatThoseOfATreeMapDo() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    SifrMap<Integer, String> map = numbered(0);
    NavigableMap<Integer, String> model = new TreeMap<>();
    for (int round = 0; round < 1000; round++) {
      int key = random.nextInt(40) - 20;
      if (random.nextInt(3) == 0) {
        assertThat(map.remove(key)).isEqualTo(model.remove(key));
      } else {
        assertThat(map.put(key, "" + round)).isEqualTo(model.put(key, "" + round));
      }
      int a = random.nextInt(50) - 25;
      int b = a + random.nextInt(20);
      boolean from = random.nextBoolean();
      boolean to = random.nextBoolean();
      NavigableMap<Integer, String> part = map.subMap(a, from, b, to);
      NavigableMap<Integer, String> wanted = model.subMap(a, from, b, to);
      if (random.nextBoolean()) {
        part = part.descendingMap();
        wanted = wanted.descendingMap();
      }
      int probe = random.nextInt(50) - 25;
      assertThat(part.lowerEntry(probe)).isEqualTo(wanted.lowerEntry(probe));
      assertThat(part.floorKey(probe)).isEqualTo(wanted.floorKey(probe));
      assertThat(part.ceilingEntry(probe)).isEqualTo(wanted.ceilingEntry(probe));
      assertThat(part.higherKey(probe)).isEqualTo(wanted.higherKey(probe));
      assertThat(part.firstEntry()).isEqualTo(wanted.firstEntry());
      assertThat(part.lastEntry()).isEqualTo(wanted.lastEntry());
      assertThat(new ArrayList<>(part.entrySet())).isEqualTo(new ArrayList<>(wanted.entrySet()));
      if (random.nextInt(20) == 0) {
        part.clear();
        wanted.clear();
      }
      assertThat(map).hasSize(model.size());
    }
  }

  @Test
  void changesOfSeveralThreadsAreAllMade() throws Exception {
    SifrMap<Integer, Long> sums = SifrMap.over(database, Codecs.integers(), Codecs.longs());
    int threads = 4;
    int rounds = 1000;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        running.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < rounds; i++) {
                    sums.merge(i % 3, 1L, Long::sum);
                    sums.compute(7, (key, sum) -> sum == null ? 1 : sum + 1);
                    sums.computeIfAbsent(8, key -> 0L);
                    while (!sums.replace(8, sums.get(8), sums.get(8) + 1)) {
                      Thread.onSpinWait();
                    }
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      pool.shutdown();
    }
    assertThat(sums.headMap(3).values().stream().mapToLong(sum -> sum).sum())
        .isEqualTo((long) threads * rounds);
    assertThat(sums).containsEntry(7, (long) threads * rounds);
  }

  @Test
  void eachEntryIsPolledByOneThread() throws Exception {
    int entries = 1000;
    SifrMap<Integer, String> map = numbered(entries);
    ExecutorService pool = Executors.newFixedThreadPool(3);
    try {
      List<Future<Integer>> counts = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        boolean fromTheEnd = thread == 0;
        counts.add(
            pool.submit(
                () -> {
                  int count = 0;
                  while ((fromTheEnd ? map.pollLastEntry() : map.pollFirstEntry()) != null) {
                    count++;
                  }
                  return count;
                }));
      }
      int sum = 0;
      for (Future<Integer> count : counts) {
        sum += count.get();
      }
      assertThat(sum).isEqualTo(entries);
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void iteratorsPassOverManyEntriesWhileTheseChange() {
    SifrMap<Integer, String> map = numbered(2000);
    int count = 0;
    int last = -1;
    for (Map.Entry<Integer, String> entry : map.entrySet()) {
      assertThat(entry.getKey()).isGreaterThan(last);
      last = entry.getKey();
      map.remove(last);
      map.put(last - 5000, "before");
      count++;
    }
    assertThat(count).isEqualTo(2000);
    assertThat(map).hasSize(2000).hasEntrySatisfying(-5000, value -> {});
    assertThat(map.lastKey()).isNegative();
  }

  @Test
  void streamsPassOverEntriesWhileTheseChange() {
    SifrMap<Integer, String> map = numbered(100);
    assertThat(map.values().stream().peek(value -> map.remove(99)).toArray())
        .hasSizeBetween(99, 100);
    assertThat(map.entrySet().stream().peek(entry -> map.put(-1, "new")).toArray()).hasSize(99);
    assertThat(map.keySet().stream().sorted()).isSorted();
    assertThat(map.descendingKeySet().stream().sorted()).isSorted().hasSize(100);
    assertThat(map.descendingKeySet().spliterator().getComparator())
        .isEqualTo(Comparator.reverseOrder());
    assertThat(map.keySet().stream().peek(map::remove).toArray()).hasSize(100);
  }

  @Test
  void anAbandonedIteratorHoldsNothing() {
    SifrMap<Integer, String> map = numbered(100);
    Iterator<Integer> keys = map.keySet().iterator();
    assertThat(keys.next()).isZero();
    store.dropDatabase(store.openOrCreateDatabase("other").name());
    store.close();
    // What was read is still there, what was not cannot be read any more; no cursor is left open.
    for (int i = 1; i < 8; i++) {
      assertThat(keys.next()).isEqualTo(i);
    }
    assertThatThrownBy(keys::next).isInstanceOf(IllegalStateException.class);
    open();
  }

  @Test
  void largeValuesAreNotFetchedManyAtOnce() {
    SifrMap<Integer, byte[]> map = SifrMap.over(database, Codecs.integers(), Codecs.byteArrays());
    for (int i = 0; i < 20; i++) {
      map.put(i, new byte[40 << 10]);
    }
    Iterator<byte[]> values = map.values().iterator();
    assertThat(values.next()).hasSize(40 << 10);
    map.tailMap(2).clear();
    assertThat(values.next()).hasSize(40 << 10);
    assertThat(values.hasNext()).isFalse();
  }

  @Test
  void entriesOfTheEntrySetWriteThrough() {
    SifrMap<Integer, String> map = numbered(2);
    for (Map.Entry<Integer, String> entry : map.entrySet()) {
      assertThat(entry.setValue("new")).startsWith("value");
      assertThat(entry.getValue()).isEqualTo("new");
    }
    assertThat(map.values()).containsExactly("new", "new");
    assertThatThrownBy(() -> Objects.requireNonNull(map.firstEntry()).setValue("other"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void partsRefuseKeysBeyondTheirBounds() {
    NavigableMap<Integer, String> part = numbered(10).subMap(2, true, 5, false);
    assertThatThrownBy(() -> part.put(5, "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the key lies outside of this part of the map");
    assertThat(part.get(5)).isNull();
    assertThat(part.remove(5)).isNull();
    assertThat(part.containsKey(7)).isFalse();
    assertThatThrownBy(() -> part.headMap(5, true))
        .hasMessage("the part ends outside of the map it is a part of");
    assertThatThrownBy(() -> part.tailMap(1, true))
        .hasMessage("the part begins outside of the map it is a part of");
    assertThatThrownBy(() -> part.subMap(4, true, 3, true))
        .hasMessage("the part ends before it begins");
    assertThat(part.headMap(5, false)).hasSize(3);
    assertThat(part.descendingMap().headMap(3, true)).containsOnlyKeys(4, 3);
  }

  private record Visit(String page, long time) {}

  @Test
  void keysMayBeRecords() {
    OrderedCodec<Visit> visits =
        Codecs.tuples(Codecs.strings(), Codecs.longs())
            .mapped(
                tuple -> new Visit((String) tuple.get(0), (Long) tuple.get(1)),
                visit -> List.of(visit.page(), visit.time()));
    SifrMap<Visit, String> map = SifrMap.over(database, visits, Codecs.strings());
    map.put(new Visit("b", -1), "1");
    map.put(new Visit("a", 5), "2");
    map.put(new Visit("b", -7), "3");
    assertThat(map.values()).containsExactly("2", "3", "1");
    Comparator<? super Visit> order = map.comparator();
    assertThat(order).isNotNull();
    assertThat(order.compare(map.firstKey(), map.lastKey())).isNegative();
    assertThat(map.tailMap(new Visit("b", Long.MIN_VALUE)).firstKey())
        .isEqualTo(new Visit("b", -7));
    assertThat(numbered(0).comparator()).isNull();
  }

  @Test
  void otherBytesInTheDatabaseAreRefused() {
    SifrMap<Integer, String> map = numbered(1);
    database.put(new byte[] {1}, new byte[0]);
    assertThatThrownBy(map::firstKey)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no integer: 1 bytes, not 4");
    assertThat(database.count(KeyRange.all())).isEqualTo(2);
  }
}
