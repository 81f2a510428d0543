package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.SearchLength;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A range within one prefix reads no block of a tree that has no such key, and misses none. */
class PrefixesAreFilteredTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int TREES = 6;

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  /** Reads of SSTs. */
  private final AtomicInteger reads = new AtomicInteger();

  private static DatabaseOptions by(@Nullable KeyPrefix prefix) {
    return DatabaseOptions.builder().filterPrefix(prefix).build();
  }

  private Store open() {
    StoreFileSystem counting =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public RandomReadFile openForRead(Path file) {
            RandomReadFile opened = super.openForRead(file);
            return file.toString().endsWith(".sst") ? new Counting(opened) : opened;
          }
        };
    StoreOptions options =
        SmallStores.options().readMode(ReadMode.POSITIONAL).blockCacheBytes(0).build();
    return TestStores.open(DIRECTORY, options, counting);
  }

  private final class Counting implements RandomReadFile {
    private final RandomReadFile file;

    Counting(RandomReadFile file) {
      this.file = file;
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void readFully(ByteBuffer target, long offset) {
      reads.incrementAndGet();
      file.readFully(target, offset);
    }

    @Override
    public void close() {
      file.close();
    }
  }

  /** Users with even numbers have keys, in every tree. */
  private static void fill(Store store, Database database) {
    store.pauseCompactions();
    for (int tree = 0; tree < TREES; tree++) {
      for (int user = 0; user < 40; user += 2) {
        database.put(bytes("user%02d/%d".formatted(user, tree)), bytes("value"));
      }
      store.flush();
    }
    assertThat(database.forest().trees()).isEqualTo(TREES);
  }

  private int readsOf(Database database, KeyRange range, int expected) {
    try (Cursor cursor = database.cursor(range)) {
      int before = reads.get();
      int found = 0;
      while (cursor.next()) {
        found++;
      }
      assertThat(found).isEqualTo(expected);
      return reads.get() - before;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"length:6", "separator:2f"})
  void whatHasNoSuchKeyIsNotRead(String prefix) {
    try (Store store = open()) {
      Database with = store.createDatabase("with", by(KeyPrefix.parse(prefix)));
      Database without = store.createDatabase("without", DatabaseOptions.DEFAULT);
      fill(store, with);
      fill(store, without);
      for (Database database : List.of(with, without)) {
        readsOf(database, KeyRange.prefix(bytes("user01/")), 0); // opens SSTs, reads their filters
      }
      KeyRange absent = KeyRange.prefix(bytes("user21/"));
      assertThat(readsOf(without, absent, 0)).isGreaterThanOrEqualTo(TREES);
      assertThat(readsOf(with, absent, 0)).isZero();
      assertThat(readsOf(with, KeyRange.between(bytes("user31/1"), bytes("user31/3")), 0)).isZero();
      assertThat(with.count(absent)).isZero();
      assertThat(readsOf(with, KeyRange.prefix(bytes("user20/")), TREES)).isPositive();
      // From one prefix to another one, and all that begin with a part of one.
      assertThat(readsOf(with, KeyRange.between(bytes("user21/"), bytes("user22/1")), 1))
          .isPositive();
      assertThat(readsOf(with, KeyRange.prefix(bytes("user2")), 5 * TREES)).isPositive();
    }
    try (Store store = open()) {
      assertThat(store.database("with").options().filterPrefix())
          .isEqualTo(KeyPrefix.parse(prefix))
          .hasToString(prefix);
    }
    assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
  }

  @Test
  void whatWasWrittenWithOtherPrefixesIsRead() {
    try (Store store = open()) {
      Database database = store.createDatabase("data", by(KeyPrefix.ofLength(6)));
      database.put(bytes("user01/a"), bytes("value"));
      database.put(bytes("user09/a"), bytes("value"));
      store.flush();
      store.alterDatabase("data", by(KeyPrefix.upTo((byte) 'r')));
      assertThat(readsOf(database, KeyRange.prefix(bytes("user01/")), 1)).isPositive();
      assertThat(readsOf(database, KeyRange.prefix(bytes("user02/")), 0)).isPositive();
      store.alterDatabase("data", DatabaseOptions.DEFAULT);
      assertThat(readsOf(database, KeyRange.prefix(bytes("user01/")), 1)).isPositive();
    }
  }

  /** The largest byte at its end does not keep filters from being asked. */
  @Test
  void aPrefixMayEndWithAnyByte() {
    try (Store store = open()) {
      Database database = store.createDatabase("data", by(KeyPrefix.ofLength(2)));
      for (String key : List.of("a0", "b0", "\u00ff0", "\u00ff\u00ff1")) {
        database.put(latin(key), bytes("value"));
      }
      store.flush();
      readsOf(database, KeyRange.prefix(bytes("a1")), 0);
      assertThat(readsOf(database, KeyRange.prefix(latin("a\u00ff")), 0)).isZero();
      assertThat(readsOf(database, KeyRange.prefix(latin("\u00ff1")), 0)).isZero();
      assertThat(readsOf(database, KeyRange.prefix(latin("\u00ff\u00ff")), 1)).isPositive();
    }
  }

  /** A key that consists of a prefix is another thing than the prefix. */
  @Test
  void aKeyThatIsAPrefixIsNotThereBecauseOfThat() {
    try (Store store = open()) {
      Database database = store.createDatabase("data", by(KeyPrefix.upTo((byte) '/')));
      fill(store, database);
      int before = -1;
      for (int user = 0; user < 40; user += 2) {
        assertThat(database.get(bytes("user%02d/".formatted(user)))).isNull();
        before = before < 0 ? reads.get() : before;
      }
      assertThat(reads.get() - before).isLessThan(4 * TREES);
    }
  }

  static LongStream seeds() {
    return LongStream.concat(LongStream.rangeClosed(1, 3), LongStream.of(System.nanoTime()));
  }

  /** Any ranges of any keys, also with the bytes at which prefixes end. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rangesHaveWhatTheyHave(long seed) {
    Random random = new Random(seed);
    NavigableMap<String, String> model = new TreeMap<>();
    try (Store store = open()) {
      Database database = store.database();
      for (int step = 0; step < SearchLength.of(300, 2000); step++) {
        switch (random.nextInt(10)) {
          case 0 -> store.flush();
          case 1 -> store.alterDatabase(Store.DEFAULT_DATABASE, by(drawn(random)));
          case 2 -> {
            if (random.nextInt(10) == 0) {
              database.compact();
            }
          }
          case 3 -> {
            String key = key(random);
            database.delete(latin(key));
            model.remove(key);
          }
          case 4 -> {
            String from = key(random);
            String to = from + key(random);
            if (random.nextInt(5) == 0 && !to.equals(from)) {
              database.deleteRange(KeyRange.between(latin(from), latin(to)));
              model.subMap(from, to).clear();
            }
          }
          default -> {
            String key = key(random);
            database.put(latin(key), latin("" + step));
            model.put(key, "" + step);
          }
        }
        compare(database, model, random);
      }
    }
    assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
  }

  private static @Nullable KeyPrefix drawn(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> null;
      case 1 -> KeyPrefix.upTo((byte) 'b');
      case 2 -> KeyPrefix.upTo((byte) 0xFF);
      default -> KeyPrefix.ofLength(1 + random.nextInt(3));
    };
  }

  /** Keys have one char for each byte, so that both have the same order. */
  private static String key(Random random) {
    StringBuilder key = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      key.append("abc\u00ff".charAt(random.nextInt(4)));
    }
    return key.toString();
  }

  private static byte[] latin(String key) {
    return key.getBytes(ISO_8859_1);
  }

  private static String text(byte[] key) {
    return new String(key, ISO_8859_1);
  }

  private static void compare(
      Database database, NavigableMap<String, String> model, Random random) {
    String from = key(random);
    KeyRange range;
    Map<String, String> expected;
    if (random.nextBoolean()) {
      range = KeyRange.prefix(latin(from));
      expected = new TreeMap<>(model.tailMap(from, true));
      expected.keySet().removeIf(key -> !key.startsWith(from));
    } else {
      String to = from + key(random);
      range = KeyRange.between(latin(from), latin(to));
      expected = model.subMap(from, to);
    }
    Map<String, String> found = new TreeMap<>();
    List<String> backwards = new ArrayList<>();
    try (Cursor cursor = database.cursor(range)) {
      while (cursor.next()) {
        found.put(text(cursor.key()), text(cursor.value()));
      }
      for (boolean more = cursor.last(); more; more = cursor.previous()) {
        backwards.add(0, text(cursor.key()));
      }
    }
    assertThat(found).as("from %s", from).isEqualTo(expected);
    assertThat(backwards).containsExactlyElementsOf(expected.keySet());
    assertThat(database.count(range)).isEqualTo(expected.size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "length:0",
        "length:1025",
        "length:x",
        "separator:",
        "separator:2",
        "separator:-1",
        "16"
      })
  void othersAreRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyPrefix.parse(text))
        .withMessageContaining("allowed: ");
  }
}
