package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Changes;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.StoreOptions;
import io.sifr.event.Change;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.Follower;
import io.sifr.testing.FrozenDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a reader of changes was told before a power loss or a kill is in the store afterwards, and
 * is told again, in the same order; and all that is told then is what the store contains.
 */
@Tag("crash")
class ChangesAreNotTakenBackTest {
  private static final int IMAGES = 40;
  private static final int ONE_IN = 25;
  private static final Path DIRECTORY = Path.of("/data/store");
  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .writeBufferBytes(8192)
          .logSegmentBytes(8192)
          .retainedLogBytes(1 << 30)
          .build();

  /** A moment, and what readers had been told before. */
  private record Image(FrozenDisk disk, List<String> told) {}

  private final List<Image> images = new ArrayList<>(); // guarded by itself
  private final List<String> told = new ArrayList<>(); // guarded by images

  static LongStream seeds() {
    return LongStream.concat(
        LongStream.rangeClosed(1, 4), LongStream.of(System.nanoTime() & 0xFFFFFF));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatWasToldIsThereAfterACrash(long seed) {
    Random random = new Random(seed);
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    Random ofImages = new Random(seed + 1);
    disk.watch((call, moment) -> maybeTakeImage(disk, ofImages));
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, disk.fileSystem());
        Changes changes = store.changes(1)) {
      for (int step = 0; step < 400; step++) {
        step(store, changes, random);
      }
    }
    disk.watch((call, moment) -> {});
    assertThat(images).hasSizeGreaterThan(10);
    for (Image image : images) {
      for (int i = 0; i < 3; i++) {
        check(image, image.disk().crash(new Random(seed + i)));
      }
      check(image, image.disk().kill());
    }
  }

  private void maybeTakeImage(CrashDisk disk, Random random) {
    synchronized (images) {
      if (images.size() < IMAGES && random.nextInt(ONE_IN) == 0) {
        images.add(new Image(disk.freeze(), List.copyOf(told)));
      }
    }
  }

  private void step(Store store, Changes changes, Random random) {
    int kind = random.nextInt(100);
    if (kind < 3) {
      Database unused = store.openOrCreateDatabase("db-" + random.nextInt(3));
    } else if (kind < 4) {
      String name = store.databaseNames().get(0);
      if (name.startsWith("db-")) {
        store.dropDatabase(name);
      }
    } else if (kind < 6) {
      any(store, random).compact(); // flushes this one alone
    } else if (kind < 20) {
      for (Change next = changes.next(); next != null; next = changes.next()) {
        synchronized (images) {
          told.add(Follower.text(next));
        }
      }
    } else {
      WriteBatch batch = new WriteBatch();
      for (int i = random.nextInt(4); i >= 0; i--) {
        batch.put(any(store, random), key(random), new byte[random.nextInt(300)]);
      }
      store.write(batch);
    }
  }

  private static Database any(Store store, Random random) {
    List<String> names = store.databaseNames();
    return store.database(names.get(random.nextInt(names.size())));
  }

  private static byte[] key(Random random) {
    return ("key" + random.nextInt(100)).getBytes(US_ASCII);
  }

  private static void check(Image image, CrashDisk left) {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, left.fileSystem())) {
      assertTells(image, store);
      store.database().put(key(new Random(0)), new byte[5]);
    }
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, left.fileSystem())) {
      assertTells(image, store);
    }
  }

  private static void assertTells(Image image, Store store) {
    List<String> again = new ArrayList<>();
    CrashDisk other = CrashDisk.with(DIRECTORY);
    try (Changes changes = store.changes(store.oldestChange());
        Store copy = TestStores.open(DIRECTORY, StoreOptions.DEFAULT, other.fileSystem())) {
      Follower follower = new Follower(copy);
      for (Change next = changes.next(); next != null; next = changes.next()) {
        again.add(Follower.text(next));
        follower.apply(next);
      }
      assertThat(again.size()).isGreaterThanOrEqualTo(image.told().size());
      assertThat(again.subList(0, image.told().size())).isEqualTo(image.told());
      assertThat(content(copy)).isEqualTo(content(store));
    }
  }

  private static Map<String, Map<String, String>> content(Store store) {
    Map<String, Map<String, String>> content = new TreeMap<>();
    for (String name : store.databaseNames()) {
      Map<String, String> entries = new TreeMap<>();
      try (Cursor cursor = store.database(name).cursor()) {
        while (cursor.next()) {
          entries.put(Arrays.toString(cursor.key()), Arrays.toString(cursor.value()));
        }
      }
      content.put(name, entries);
    }
    return content;
  }
}
