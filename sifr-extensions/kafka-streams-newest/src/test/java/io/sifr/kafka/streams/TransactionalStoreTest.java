package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.ReadOnlySessionStore;
import org.apache.kafka.streams.state.ReadOnlyWindowStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.VersionedBytesStore;
import org.apache.kafka.streams.state.WindowStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stores of every kind that hold back what is not committed, against two that do not: one to which
 * everything is written at once, and one to which nothing is written before it is committed. Some
 * transactions end with a store that is closed or whose process is killed, and are lost.
 */
@Tag("model")
class TransactionalStoreTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
  private static final TaskId TASK = new TaskId(0, 0);
  private static final long RETENTION = 300_000;
  private static final int STEPS = Integer.getInteger("sifr.kafka.steps", 600);
  private static final List<Bytes> KEYS =
      List.of(key("a"), key("a\0"), key("ab"), key("b"), key(""), key("\u00ff\u00ff"));

  @TempDir Path directory;

  private int stores;

  enum Kind {
    KEY_VALUE {
      @Override
      StateStore store() {
        return SifrStores.keyValueStore("store").get();
      }
    },
    TIMESTAMPED {
      @Override
      StateStore store() {
        return SifrStores.timestampedKeyValueStore("store").get();
      }
    },
    HEADERS {
      @Override
      StateStore store() {
        return SifrStores.timestampedKeyValueStoreWithHeaders("store").get();
      }
    },
    WINDOW {
      @Override
      StateStore store() {
        return SifrStores.timestampedWindowStore(
                "store", Duration.ofMillis(RETENTION), Duration.ofSeconds(10), false)
            .get();
      }
    },
    WINDOW_WITH_HEADERS {
      @Override
      StateStore store() {
        return SifrStores.timestampedWindowStoreWithHeaders(
                "store", Duration.ofMillis(RETENTION), Duration.ofSeconds(10), false)
            .get();
      }
    },
    SESSION {
      @Override
      StateStore store() {
        return SifrStores.sessionStore("store", Duration.ofMillis(RETENTION)).get();
      }
    },
    VERSIONED {
      @Override
      StateStore store() {
        return SifrStores.versionedKeyValueStore("store", Duration.ofMillis(RETENTION)).get();
      }
    };

    abstract StateStore store();
  }

  private static Bytes key(String text) {
    return Bytes.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Which change comes next; it is made to several stores. */
  @SuppressWarnings("unchecked") // The bytes of a store are those of its kind.
  private static Consumer<StateStore> change(Kind kind, Random random, int step, long now) {
    Bytes key = KEYS.get(random.nextInt(KEYS.size()));
    byte[] value =
        random.nextInt(4) == 0 ? null : ("value " + step).getBytes(StandardCharsets.ISO_8859_1);
    long time = Math.max(0, now - random.nextInt(random.nextInt(5) == 0 ? 400_000 : 30_000));
    return switch (kind) {
      case KEY_VALUE, TIMESTAMPED, HEADERS -> {
        Bytes other = KEYS.get(random.nextInt(KEYS.size()));
        int what = random.nextInt(4);
        yield store -> {
          KeyValueStore<Bytes, byte[]> keyValue = (KeyValueStore<Bytes, byte[]>) store;
          switch (what) {
            case 0 -> keyValue.putIfAbsent(key, value);
            case 1 -> keyValue.delete(key);
            case 2 ->
                keyValue.putAll(
                    List.of(KeyValue.pair(key, value), KeyValue.pair(other, new byte[] {1})));
            default -> keyValue.put(key, value);
          }
        };
      }
      case WINDOW, WINDOW_WITH_HEADERS ->
          store -> ((WindowStore<Bytes, byte[]>) store).put(key, value, time);
      case SESSION -> {
        long start = Math.max(0, time - random.nextInt(20_000));
        yield store ->
            ((SessionStore<Bytes, byte[]>) store)
                .put(new Windowed<>(key, new SessionWindow(start, time)), value);
      }
      case VERSIONED -> store -> ((VersionedBytesStore) store).put(key, value, time);
    };
  }

  /** All that reads of a store, or of a view of it, find, by every way to read. */
  @SuppressWarnings("unchecked")
  private static List<String> contents(Object store, long now) {
    List<String> found = new ArrayList<>();
    if (store instanceof VersionedBytesStore versions) {
      for (Bytes key : KEYS) {
        found.add(key + " " + text(versions.get(key)));
        for (long time = Math.max(0, now - RETENTION); time <= now; time += 20_000) {
          found.add(key + "@" + time + " " + text(versions.get(key, time)));
        }
      }
    } else if (store instanceof ReadOnlyKeyValueStore<?, ?>) {
      ReadOnlyKeyValueStore<Bytes, byte[]> entries = (ReadOnlyKeyValueStore<Bytes, byte[]>) store;
      KEYS.forEach(key -> found.add(key + " " + text(entries.get(key))));
      add(found, "all", entries.all());
      add(found, "reverse", entries.reverseAll());
      for (Bytes from : KEYS) {
        for (Bytes to : KEYS) {
          if (from.compareTo(to) <= 0) {
            add(found, "range", entries.range(from, to));
            add(found, "reverse range", entries.reverseRange(from, to));
          }
        }
        add(found, "prefix", entries.prefixScan(from, (topic, prefix) -> prefix.get()));
      }
    } else if (store instanceof ReadOnlyWindowStore<?, ?>) {
      WindowStore<Bytes, byte[]> windows = (WindowStore<Bytes, byte[]>) store;
      add(found, "all", windows.all());
      add(found, "backward", windows.backwardAll());
      add(found, "of time", windows.fetchAll(now - 100_000, now - 1_000));
      add(found, "range", windows.backwardFetch(KEYS.get(0), KEYS.get(3), now - 200_000, now));
      for (Bytes key : KEYS) {
        add(found, "of key", windows.fetch(key, 0, now));
        found.add(key + "@" + now + " " + text(windows.fetch(key, now)));
      }
    } else {
      SessionStore<Bytes, byte[]> sessions = (SessionStore<Bytes, byte[]>) store;
      add(found, "of time", sessions.findSessions(0, now));
      for (Bytes key : KEYS) {
        add(found, "of key", sessions.fetch(key));
        add(found, "backward", sessions.backwardFetch(key));
        add(found, "found", sessions.findSessions(key, now - 200_000, now));
      }
    }
    return found;
  }

  private static void add(List<String> found, String how, KeyValueIterator<?, byte[]> entries) {
    try (entries) {
      entries.forEachRemaining(entry -> found.add(how + " " + entry.key + " " + text(entry.value)));
    }
  }

  private static String text(byte[] value) {
    return value == null ? "none" : new String(value, StandardCharsets.ISO_8859_1);
  }

  @SuppressWarnings("unchecked")
  private static Object committedView(StateStore store) {
    IsolationLevel level = IsolationLevel.READ_COMMITTED;
    if (store instanceof VersionedBytesStore versions) {
      return versions.readOnly(level);
    }
    if (store instanceof ReadOnlyKeyValueStore<?, ?> entries) {
      return entries.readOnly(level);
    }
    return store instanceof ReadOnlyWindowStore<?, ?> windows
        ? windows.readOnly(level)
        : ((ReadOnlySessionStore<Bytes, byte[]>) store).readOnly(level);
  }

  private StateStore open(Kind kind, Path state, boolean isTransactional) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "application");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nobody");
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, isTransactional);
    StateStore store = kind.store();
    MockProcessorContext<?, ?> context = new MockProcessorContext<>(settings, TASK, state.toFile());
    context.setRecordMetadata("input", 0, 7);
    store.init(context.getStateStoreContext(), store);
    return store;
  }

  private StateStore replay(Kind kind, List<Consumer<StateStore>> changes) {
    StateStore store = open(kind, directory.resolve("model-" + stores++), false);
    changes.forEach(change -> change.accept(store));
    return store;
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatIsCommittedIsThereAndNothingElse(Kind kind) throws Exception {
    long seed = Long.getLong("sifr.seed", new Random().nextLong());
    System.out.println("TransactionalStoreTest: -Dsifr.seed=" + seed);
    Random random = new Random(seed);
    List<Consumer<StateStore>> committedChanges = new ArrayList<>();
    List<Consumer<StateStore>> changes = new ArrayList<>();
    StateStore committed = replay(kind, List.of());
    StateStore written = replay(kind, List.of());
    Path state = directory.resolve("state-" + stores++);
    StateStore store = open(kind, state, true);
    long now = 0;
    long committedNow = 0;
    long offset = 0;
    int commits = 0;
    int lost = 0;
    for (int step = 0; step < STEPS; step++) {
      String at = kind + ", step " + step;
      now += random.nextInt(random.nextInt(40) == 0 ? 300_000 : 3_000);
      Consumer<StateStore> change = change(kind, random, step, now);
      if (store instanceof SifrKeyValueStore entries && random.nextInt(10) == 0) {
        List<String> expected = new ArrayList<>();
        add(expected, "all", ((SifrKeyValueStore) written).all());
        List<String> found = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> iterator = entries.all()) {
          assertThat(iterator.hasNext()).as(at).isEqualTo(!expected.isEmpty());
          // It sees the store as it was when it was opened.
          change.accept(store);
          add(found, "all", iterator);
        }
        assertThat(found).as(at).isEqualTo(expected);
      } else {
        change.accept(store);
      }
      change.accept(written);
      changes.add(change);
      assertThat(store.approximateNumUncommittedBytes()).as(at).isGreaterThanOrEqualTo(0);
      if (random.nextInt(5) == 0) {
        assertThat(contents(store, now)).as(at).isEqualTo(contents(written, now));
        assertThat(contents(committedView(store), committedNow))
            .as(at)
            .isEqualTo(contents(committed, committedNow));
      }
      switch (random.nextInt(20)) {
        case 0, 1 -> {
          offset++;
          changes.add(each -> each.commit(Map.of(CHANGELOG, 0L)));
          store.commit(Map.of(CHANGELOG, offset));
          written.commit(Map.of(CHANGELOG, 0L));
          changes.forEach(each -> each.accept(committed));
          committedChanges.addAll(changes);
          changes.clear();
          committedNow = now;
          commits++;
          assertThat(store.approximateNumUncommittedBytes()).as(at).isZero();
        }
        case 2 -> {
          if (random.nextBoolean()) {
            store.close();
          } else {
            Path killed = directory.resolve("state-" + stores++);
            copy(state.resolve("store"), killed.resolve("store"));
            store.close();
            state = killed;
          }
          written.close();
          lost += changes.size();
          changes.clear();
          now = committedNow;
          store = open(kind, state, true);
          written = replay(kind, committedChanges);
          assertThat(store.committedOffset(CHANGELOG))
              .as(at)
              .isEqualTo(offset == 0 ? null : offset);
          assertThat(contents(store, now)).as(at).isEqualTo(contents(written, now));
        }
        default -> {}
      }
    }
    assertThat(commits).isPositive();
    assertThat(lost).isPositive();
    store.close();
    written.close();
    committed.close();
  }

  /** What a killed process would leave, while nobody writes. */
  private static void copy(Path from, Path to) throws Exception {
    List<Path> before;
    do {
      // Files that are made and deleted in the background must not change meanwhile.
      if (Files.exists(to)) {
        Store.destroy(to);
      }
      Files.createDirectories(to);
      before = files(from);
      for (Path file : before) {
        try {
          Files.copy(file, to.resolve(file.getFileName()));
        } catch (NoSuchFileException e) {
          before = List.of();
        }
      }
    } while (!before.equals(files(from)));
  }

  private static List<Path> files(Path directory) throws Exception {
    try (var files = Files.list(directory)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void uncommittedBytesAreThoseOfTheLastWrites() {
    KeyValueStore<Bytes, byte[]> store = keyValueStore(directory);
    store.put(KEYS.get(0), new byte[10_000]);
    long ofOne = store.approximateNumUncommittedBytes();
    assertThat(ofOne).isBetween(10_000L, 11_000L);
    store.put(KEYS.get(0), new byte[10_000]);
    assertThat(store.approximateNumUncommittedBytes()).isEqualTo(ofOne);
    store.delete(KEYS.get(0));
    assertThat(store.approximateNumUncommittedBytes()).isLessThan(1_000).isPositive();
    store.commit(Map.of());
    assertThat(store.approximateNumUncommittedBytes()).isZero();
    store.close();
  }

  @Test
  void aWriteThatCannotBeCommittedIsRefusedAtOnce() {
    KeyValueStore<Bytes, byte[]> store = keyValueStore(directory);
    assertThatThrownBy(() -> store.put(Bytes.wrap(new byte[100_000]), new byte[1]))
        .isInstanceOf(IllegalArgumentException.class);
    store.put(KEYS.get(0), new byte[] {1});
    store.commit(Map.of(CHANGELOG, 1L));
    assertThat(store.get(KEYS.get(0))).containsExactly(1);
    store.close();
  }

  @Test
  void queriesSayWhatTheyWantToRead() {
    KeyValueStore<Bytes, byte[]> store = keyValueStore(directory);
    store.put(KEYS.get(0), new byte[] {1});
    store.commit(Map.of(CHANGELOG, 1L));
    store.put(KEYS.get(0), new byte[] {2});
    assertThat(query(store, IsolationLevel.READ_UNCOMMITTED).getResult()).containsExactly(2);
    QueryResult<byte[]> committed = query(store, IsolationLevel.READ_COMMITTED);
    assertThat(committed.getResult()).containsExactly(1);
    assertThat(committed.getPosition())
        .isEqualTo(Position.emptyPosition().withComponent("input", 0, 7));
    store.close();
    store = keyValueStore(directory.resolve("empty"));
    store.put(KEYS.get(0), new byte[] {1});
    assertThat(query(store, IsolationLevel.READ_COMMITTED).getPosition())
        .isEqualTo(Position.emptyPosition());
    store.close();
  }

  private static QueryResult<byte[]> query(
      KeyValueStore<Bytes, byte[]> store, IsolationLevel level) {
    return store.query(
        KeyQuery.withKey(KEYS.get(0)), PositionBound.unbounded(), new QueryConfig(false, level));
  }

  @Test
  void aViewTakesNoWritesAndEndsWithItsStore() {
    KeyValueStore<Bytes, byte[]> store = keyValueStore(directory);
    store.put(KEYS.get(0), new byte[] {1});
    ReadOnlyKeyValueStore<Bytes, byte[]> view = store.readOnly(IsolationLevel.READ_COMMITTED);
    assertThat(view.get(KEYS.get(0))).isNull();
    assertThatThrownBy(() -> ((KeyValueStore<Bytes, byte[]>) view).put(KEYS.get(0), null))
        .isInstanceOf(UnsupportedOperationException.class);
    store.commit(Map.of());
    assertThat(view.get(KEYS.get(0))).containsExactly(1);
    store.close();
    assertThatThrownBy(() -> view.get(KEYS.get(0))).isInstanceOf(InvalidStateStoreException.class);
  }

  @Test
  void anIteratorGoesOnThroughACommit() {
    KeyValueStore<Bytes, byte[]> store = keyValueStore(directory);
    KEYS.forEach(key -> store.put(key, new byte[] {1}));
    try (KeyValueIterator<Bytes, byte[]> iterator = store.all()) {
      iterator.next();
      store.commit(Map.of());
      int left = 0;
      while (iterator.hasNext()) {
        iterator.next();
        left++;
      }
      assertThat(left).isEqualTo(KEYS.size() - 1);
    }
    store.close();
  }

  @Test
  void whatWasLeftWithoutTheSwitchIsNotUsedWithIt() throws Exception {
    StateStore without = open(Kind.KEY_VALUE, directory.resolve("before"), false);
    ((SifrKeyValueStore) without).put(KEYS.get(0), new byte[] {1});
    without.commit(Map.of(CHANGELOG, 5L));
    copy(directory.resolve("before/store"), directory.resolve("killed/store"));
    without.close();
    // Kafka Streams would delete nothing, and start again and again.
    KeyValueStore<Bytes, byte[]> with = keyValueStore(directory.resolve("killed"));
    assertThat(with.committedOffset(CHANGELOG)).isNull();
    assertThat(with.get(KEYS.get(0))).isNull();
    with.close();
    with = keyValueStore(directory.resolve("before"));
    assertThat(with.committedOffset(CHANGELOG)).isEqualTo(5);
    assertThat(with.get(KEYS.get(0))).containsExactly(1);
    with.close();
  }

  @Test
  void whatWasLeftWithTheSwitchIsUsedWithoutIt() throws Exception {
    KeyValueStore<Bytes, byte[]> with = keyValueStore(directory.resolve("before"));
    with.put(KEYS.get(0), new byte[] {1});
    with.commit(Map.of(CHANGELOG, 5L));
    with.put(KEYS.get(0), new byte[] {2});
    copy(directory.resolve("before/store"), directory.resolve("killed/store"));
    with.close();
    SifrKeyValueStore without =
        (SifrKeyValueStore) open(Kind.KEY_VALUE, directory.resolve("killed"), false);
    assertThat(without.committedOffset(CHANGELOG)).isEqualTo(5);
    assertThat(without.get(KEYS.get(0))).containsExactly(1);
    copy(directory.resolve("killed/store"), directory.resolve("again/store"));
    without.close();
    assertThatThrownBy(() -> open(Kind.KEY_VALUE, directory.resolve("again"), false))
        .isInstanceOf(TaskCorruptedException.class);
    Store.destroy(directory.resolve("again/store"));
  }

  private SifrKeyValueStore keyValueStore(Path state) {
    return (SifrKeyValueStore) open(Kind.KEY_VALUE, state, true);
  }
}
