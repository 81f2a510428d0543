package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.text;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.BulkLoader;
import io.sifr.Changes;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreLockedException;
import io.sifr.event.Metric;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.io.memory.MemoryFileSystem;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A store whose files are on the heap does what one on a disk does, and leaves the disk alone. */
class StoreInMemoryTest {
  private static final int KEYS = 2000;
  private static final int LARGE_VALUE = 100_000;

  @TempDir Path directory;

  private static Store.Builder small() {
    return Store.inMemory().options(SmallStores.options().build());
  }

  @Test
  void theBuilderKeepsTheContent() {
    Store.Builder builder = Store.inMemory();
    try (Store store = builder.open()) {
      store.database().put(bytes("in"), bytes("log"));
    }
    try (Store store = builder.options(SmallStores.options().build()).open()) {
      assertThat(text(store.database().get(bytes("in")))).isEqualTo("log");
      fill(store.database(), 0, KEYS, 1);
      store.database().delete(bytes("in"), WriteOptions.SYNC);
    }
    try (Store store =
        builder.options(StoreOptions.builder().createIfMissing(false).build()).open()) {
      assertThat(content(store.database())).isEqualTo(filled(0, KEYS, 1));
    }
  }

  @Test
  void twoBuildersHaveNothingInCommon() {
    try (Store one = Store.inMemory().open();
        Store other = Store.inMemory().open()) {
      one.database().put(bytes("key"), bytes("one"));
      assertThat(other.database().get(bytes("key"))).isNull();
      assertThat(other.directory()).isNotEqualTo(one.directory());
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Store.inMemory()
                    .options(StoreOptions.builder().createIfMissing(false).build())
                    .open());
  }

  @Test
  void itIsOpenOnce() {
    Store.Builder builder = Store.inMemory();
    try (Store store = builder.open()) {
      assertThatThrownBy(builder::open)
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining(store.directory().toString())
          .hasMessageContaining("in this process");
      store.database().put(bytes("still"), bytes("fine"));
    }
    builder.open().close();
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void itIsReadBesideAWriter(ReadMode mode) {
    Store.Builder builder = Store.inMemory().options(SmallStores.options().readMode(mode).build());
    assertThatIllegalArgumentException().isThrownBy(builder::openReadOnly);
    try (Store writer = builder.open()) {
      fill(writer.database(), 0, KEYS, 1);
      try (Store reader = builder.openReadOnly()) {
        fill(writer.database(), 0, KEYS + 1, 2);
        writer.database().compact();
        assertThat(content(reader.database())).isEqualTo(filled(0, KEYS, 1));
        try (Store later = reader.refreshed()) {
          assertThat(content(later.database())).isEqualTo(filled(0, KEYS + 1, 2));
        }
      }
    }
    try (Store reader = builder.openReadOnly()) {
      assertThat(content(reader.database())).isEqualTo(filled(0, KEYS + 1, 2));
    }
  }

  static Stream<Arguments> ways() {
    return Stream.of(ReadMode.values())
        .flatMap(mode -> Stream.of(LogAccess.values()).map(access -> Arguments.of(mode, access)));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void itAgreesWithAModel(ReadMode mode, LogAccess access) {
    long seed = new Random().nextLong();
    System.out.println("StoreInMemoryTest: seed " + seed);
    Random random = new Random(seed);
    Store.Builder builder =
        Store.inMemory().options(SmallStores.options().readMode(mode).logAccess(access).build());
    Map<String, String> model = new TreeMap<>();
    for (int round = 0; round < 3; round++) {
      try (Store store = builder.open()) {
        Database database =
            store.openOrCreateDatabase(
                "db", DatabaseOptions.builder().separateValuesFrom(4096).build());
        assertThat(content(database)).isEqualTo(model);
        for (int i = 0; i < 3000; i++) {
          change(random, database, model);
        }
        try (Snapshot snapshot = store.snapshot()) {
          assertThat(snapshot.sequence()).isEqualTo(store.lastSequence());
        }
        assertThat(content(database)).as("seed %d", seed).isEqualTo(model);
        store.awaitIdle();
        for (int i = 0; i < KEYS; i++) {
          String key = "k" + i;
          assertThat(text(database.get(bytes(key)))).as("seed %d", seed).isEqualTo(model.get(key));
        }
        assertThat(store.statistics().get(Metric.COMPACTIONS)).isNotEmpty();
      }
    }
  }

  private static void change(Random random, Database database, Map<String, String> model) {
    String key = "k" + random.nextInt(KEYS);
    if (random.nextInt(4) == 0) {
      database.delete(bytes(key));
      model.remove(key);
      return;
    }
    int length = random.nextInt(random.nextInt(50) == 0 ? LARGE_VALUE : 200);
    String value = String.valueOf((char) ('a' + random.nextInt(26))).repeat(length);
    database.put(
        bytes(key),
        bytes(value),
        random.nextInt(10) == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT);
    model.put(key, value);
  }

  /** One that asks nobody, and remembers what it was asked for. */
  private static StoreFileSystem noDisk(Queue<String> calls) {
    DiskFileSystem disk = new DiskFileSystem();
    return (StoreFileSystem)
        Proxy.newProxyInstance(
            StoreFileSystem.class.getClassLoader(),
            new Class<?>[] {StoreFileSystem.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              return switch (method.getName()) {
                case "reached" -> null;
                case "syncDirectory" -> method.invoke(disk, arguments);
                default -> throw new AssertionError(method + " of the disk");
              };
            });
  }

  @ParameterizedTest
  @MethodSource("ways")
  void itDoesNotAskForADisk(ReadMode mode, LogAccess access) {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    MemoryFileSystem files = new MemoryFileSystem(noDisk(calls));
    StoreOptions options = SmallStores.options().readMode(mode).logAccess(access).build();
    for (int round = 0; round < 2; round++) {
      try (Store store = TestStores.open(files.directory(), options, files)) {
        fill(store.database(), 0, KEYS, round);
        store.database().put(bytes("large"), new byte[LARGE_VALUE]);
        try (BulkLoader loader = store.database().bulkLoader().memoryBytes(1 << 16).open()) {
          for (int i = 2 * KEYS; i > KEYS; i--) {
            loader.put(key(i), value(i, 1));
          }
          assertThat(loader.finish()).isEqualTo(KEYS);
        }
        store.database().compact();
        store.sync();
      }
    }
    assertThat(calls).containsOnly("reached", "syncDirectory"); // of the root, which it cannot tell
  }

  @Test
  void itsDirectoryIsMadeUp() {
    try (Store store = Store.inMemory().open()) {
      assertThat(store.directory()).isAbsolute().doesNotExist();
      assertThat(store.directory().toString()).contains("in-memory");
      assertThat(store).hasToString("Store[" + store.directory() + "]");
      assertThat(Store.exists(store.directory())).isFalse();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.checkpoint(store.directory().resolve("copy")));
      Store.destroy(store.directory());
      store.database().put(bytes("still"), bytes("fine"));
    }
  }

  private static void fillWithLargeValues(Store store) {
    fill(store.database(), 0, KEYS, 1);
    store.flush();
    fill(store.database(), KEYS / 2, KEYS + 10, 2);
    Database large =
        store.createDatabase("large", DatabaseOptions.builder().separateValuesFrom(1000).build());
    large.put(bytes("large"), new byte[LARGE_VALUE]);
    store.flush();
    large.put(bytes("another"), new byte[LARGE_VALUE]);
  }

  private static void assertHasAll(Store store) {
    Map<String, String> expected = filled(0, KEYS / 2, 1);
    expected.putAll(filled(KEYS / 2, KEYS + 10, 2));
    assertThat(content(store.database())).isEqualTo(expected);
    for (String key : List.of("large", "another")) {
      assertThat(store.database("large").get(bytes(key))).isEqualTo(new byte[LARGE_VALUE]);
    }
  }

  private static void assertIsStoreOnDisk(Path directory) {
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
    try (Store copy = SmallStores.open(directory)) {
      assertHasAll(copy);
    }
  }

  @Test
  void aCheckpointIsOnTheDisk() {
    Path target = directory.resolve("checkpoint");
    try (Store store = small().open()) {
      fillWithLargeValues(store);
      store.checkpoint(target);
      store.database().delete(key(1));
    }
    assertIsStoreOnDisk(target);
  }

  @Test
  void aBackupIsOnTheDisk() {
    Path target = directory.resolve("restored");
    Backups backups = Backups.in(directory.resolve("backup"));
    Store.Builder builder = small();
    try (Store store = builder.open()) {
      fillWithLargeValues(store);
      backups.create(store);
      store.database().delete(key(1));
    }
    try (Store store = builder.open()) {
      assertThat(backups.create(store).number()).isEqualTo(2);
    }
    backups.verify(1, Backups.Progress.NONE);
    backups.restore(1, target);
    assertIsStoreOnDisk(target);
  }

  @ParameterizedTest
  @EnumSource(IngestFiles.class)
  void filesOfTheDiskAreIngested(IngestFiles how) throws IOException {
    StoreOptions options = SmallStores.options().build();
    Path file = directory.resolve("sorted.sst");
    List<Path> files;
    try (SstFileWriter writer = SstFileWriter.create(file, options)) {
      for (int i = 0; i < KEYS; i++) {
        writer.put(key(i), value(i, 1));
      }
      files = writer.finish().files();
    }
    assertThat(file).exists();
    Store.Builder builder = Store.inMemory().options(options);
    for (int round = 0; round < 2; round++) {
      try (Store store = builder.open()) {
        if (round == 0) {
          store.database().ingest(files, IngestOptions.builder().files(how).build());
        }
        assertThat(content(store.database())).isEqualTo(filled(0, KEYS, 1));
      }
    }
    for (Path each : files) {
      assertThat(Files.exists(each)).isEqualTo(how != IngestFiles.MOVE);
    }
  }

  @Test
  @Tag("disk") // one that is in memory is refused
  void otherDirectoriesOfTheStoreAreOnTheDisk() {
    Path fast = directory.resolve("fast");
    Path cold = directory.resolve("cold");
    Store.Builder builder =
        Store.inMemory()
            .options(SmallStores.options().fastDirectory(fast).coldDirectory(cold).build());
    for (int round = 0; round < 2; round++) {
      try (Store store = builder.open()) {
        fill(store.database(), 0, KEYS, round);
        store.database().compact();
        assertThat(content(store.database())).isEqualTo(filled(0, KEYS, round));
        assertThat(SmallStores.files(cold, ".sst")).isNotEmpty();
      }
    }
    try (Store store = builder.options(SmallStores.options().build()).open()) {
      store.database().compact();
      assertThat(SmallStores.files(fast, ".sst")).isEmpty();
      assertThat(SmallStores.files(cold, ".sst")).isEmpty();
      assertThat(content(store.database())).isEqualTo(filled(0, KEYS, 1));
    }
  }

  @Test
  void changesAreTold() {
    StoreOptions options = SmallStores.options().retainedLogBytes(1 << 20).build();
    Store.Builder builder = Store.inMemory().options(options);
    try (Store store = builder.open()) {
      fill(store.database(), 0, KEYS, 1);
    }
    try (Store store = builder.open();
        Changes changes = store.changes(1)) {
      assertThat(changes.next()).isNotNull();
    }
  }

  private static WeakReference<MemoryFileSystem> used() {
    MemoryFileSystem files = new MemoryFileSystem(new DiskFileSystem());
    StoreOptions options = SmallStores.options().build();
    try (Store store = TestStores.open(files.directory(), options, files)) {
      fill(store.database(), 0, KEYS, 1);
      store.awaitIdle();
    }
    return new WeakReference<>(files);
  }

  @Test
  void itsMemoryIsGivenBack() {
    WeakReference<MemoryFileSystem> files = used();
    for (int i = 0; i < 100 && files.get() != null; i++) {
      System.gc();
    }
    assertThat(files.get()).isNull();
  }

  /** Fills a small heap, and goes on. Prints "done", or what was wrong. */
  static final class FullHeap {
    private static final int VALUE_BYTES = 1000;

    private FullHeap() {}

    private static byte[] bigValue(int number) {
      byte[] value = new byte[VALUE_BYTES];
      new Random(number).nextBytes(value);
      return value;
    }

    private static int fillUp(Database database, int from) {
      int number = from;
      while (true) {
        try {
          database.put(key(number), bigValue(number));
        } catch (StoreFullException e) {
          return number;
        }
        number++;
      }
    }

    private static void check(Database database, int from, int to) {
      for (int i = from; i < to; i++) {
        assertThat(database.get(key(i))).as("key %d", i).isEqualTo(bigValue(i));
      }
    }

    public static void main(String[] args) {
      Store.Builder builder =
          Store.inMemory().options(SmallStores.options().writeBufferBytes(1 << 20).build());
      int first = 0;
      try (Store store = builder.open()) {
        for (int round = 0; round < 3; round++) {
          int end = fillUp(store.database(), first);
          check(store.database(), first, end);
          int rest = first + (end - first) / 4;
          store.database().deleteRange(KeyRange.atLeast(key(rest)));
          store.database().compact();
          check(store.database(), first, rest);
          System.out.println("held " + (end - first));
          first = rest - (rest - first) / 2;
          store.database().deleteRange(KeyRange.lessThan(key(first)));
        }
      }
      try (Store store = builder.open()) {
        store.database().put(key(first), bigValue(first));
        check(store.database(), first, first + 1);
      }
      System.out.println("done");
    }
  }

  @Test
  @Tag("process")
  void aFullHeapIsAFullDisk() {
    try (ChildJvm child = ChildJvm.start(List.of("-Xmx64m", "-XX:+UseSerialGC"), FullHeap.class)) {
      for (int round = 0; round < 3; round++) {
        assertThat(child.nextLine()).matches("held [1-6]\\d{4}"); // of some 30,000
      }
      assertThat(child.nextLine()).isEqualTo("done");
    }
  }
}
