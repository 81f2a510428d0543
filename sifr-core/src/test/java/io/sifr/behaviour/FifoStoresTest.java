package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Idle;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With {@link CompactionPolicy#fifo(long)} the newest data stays, and nothing else decides about
 * it.
 */
class FifoStoresTest {
  private static final int VALUE_BYTES = 200;

  @TempDir Path directory;

  private static StoreOptions options(CompactionPolicy policy) {
    return StoreOptions.builder().compaction(policy).writeBufferBytes(256 << 10).build();
  }

  /** A store for which any time without a write is long. */
  private Store openIdle(CompactionPolicy policy) {
    StoreOptions options = options(policy);
    CompactionPicker impatient =
        new CompactionPicker(
            Policies.of(options).rules().stream()
                .map(rule -> rule instanceof Idle idle ? new Idle(idle.shape(), 0) : rule)
                .toList());
    return TestStores.open(
        directory,
        options,
        new NoSyncFileSystem(new DiskFileSystem()),
        StoreListener.NONE,
        new Extensions(EntryKinds.STANDARD, BlockCodecs.STANDARD, impatient));
  }

  private static byte[] key(int number) {
    return String.format("key%09d", number).getBytes(UTF_8);
  }

  private static void put(Store store, int from, int to) {
    Random random = new Random(from);
    byte[] value = new byte[VALUE_BYTES];
    for (int i = from; i < to; i++) {
      random.nextBytes(value);
      store.database().put(key(i), value);
    }
  }

  private static long bytes(Store store) {
    store.flush();
    store.awaitIdle();
    return store.database().forest().bytes();
  }

  private static int trees(Store store) {
    return store.database().forest().trees();
  }

  private static long whenIdle(Store store) {
    return store.statistics().get(Metric.COMPACTIONS).getOrDefault(CompactionReason.IDLE, 0L);
  }

  /** Merged into one, all would be dropped together by the next write. */
  @Test
  void anIdleStoreKeepsItsTrees() {
    try (Store store = openIdle(CompactionPolicy.fifo(4 << 20))) {
      put(store, 0, 60_000);
      assertThat(bytes(store)).isBetween(3_900_000L, 4L << 20);
      assertThat(trees(store)).isGreaterThan(10);
      put(store, 60_000, 64_000);
      assertThat(bytes(store)).isBetween(3_900_000L, 4L << 20);
      assertThat(trees(store)).isGreaterThan(10);
      assertThat(store.database().get(key(0))).isNull();
      for (int i = 50_000; i < 64_000; i++) {
        assertThat(store.database().get(key(i))).isNotNull();
      }
    }
    directory = directory.resolve("other");
    try (Store store = openIdle(CompactionPolicy.splitForest())) {
      put(store, 0, 60_000);
      assertThat(bytes(store)).isGreaterThan(4 << 20);
      assertThat(whenIdle(store)).isPositive(); // so time without writes counts
    }
  }

  /** What is overwritten or deleted is not there again when that is dropped. */
  @Test
  void aKeyHasItsNewestValueOrNone() {
    Random random = new Random(17);
    Map<Integer, Integer> newest = new HashMap<>();
    try (Store store = openIdle(CompactionPolicy.fifo(4 << 20))) {
      for (int i = 0; i < 60_000; i++) {
        int number = random.nextInt(30_000);
        if (random.nextInt(10) == 0) {
          store.database().delete(key(number));
          newest.put(number, -1);
        } else {
          byte[] value = new byte[VALUE_BYTES];
          value[0] = (byte) i;
          value[1] = (byte) (i >> 8);
          value[2] = (byte) (i >> 16);
          store.database().put(key(number), value);
          newest.put(number, i);
        }
      }
      assertThat(bytes(store)).isLessThanOrEqualTo(4L << 20);
      int missing = 0;
      for (Map.Entry<Integer, Integer> entry : newest.entrySet()) {
        byte[] found = store.database().get(key(entry.getKey()));
        if (found == null) {
          missing++;
        } else {
          int version = (found[0] & 255) | (found[1] & 255) << 8 | (found[2] & 255) << 16;
          assertThat(version).isEqualTo(entry.getValue());
        }
      }
      assertThat(missing).isBetween(1, newest.size() - 1);
    }
  }

  @Test
  void nobodyElseMergesOrDrops() {
    try (Store store = openIdle(CompactionPolicy.fifo(4 << 20))) {
      put(store, 0, 10_000);
      long before = bytes(store);
      int trees = trees(store);
      store.database().compact();
      assertThat(bytes(store)).isEqualTo(before);
      assertThat(trees(store)).isEqualTo(trees).isGreaterThan(4);
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isZero();
    }
  }

  /** A clock that goes when it is told to. */
  private static final class Clock implements InstantSource {
    private volatile Instant now = Instant.now();

    @Override
    public Instant instant() {
      return now;
    }

    void pass(Duration time) {
      now = now.plus(time);
    }
  }

  private final Clock clock = new Clock();

  private static StoreOptions.Builder anHour() {
    return StoreOptions.builder()
        .keptLogBytes(0)
        .compaction(CompactionPolicy.fifo(1 << 30, Duration.ofHours(1)));
  }

  private Store openAged() {
    return Store.builder(directory).options(anHour().build()).clock(clock).open();
  }

  /** Each flush a tree; ten minutes pass after each. */
  private void putEveryTenMinutes(Store store, int from, int to) {
    for (int i = from; i < to; i++) {
      store.database().put(key(i), new byte[VALUE_BYTES]);
      store.flush();
      clock.pass(Duration.ofMinutes(10));
    }
  }

  private static List<Integer> held(Store store) {
    store.awaitIdle();
    return IntStream.range(0, 100)
        .filter(i -> store.database().get(key(i)) != null)
        .boxed()
        .toList();
  }

  @Test
  void whatIsTooOldIsDropped() {
    try (Store store = openAged()) {
      putEveryTenMinutes(store, 0, 10); // an hour and 40 minutes, so the first five are too old
      assertThat(held(store)).containsExactly(5, 6, 7, 8, 9);
      assertThat(trees(store)).isEqualTo(5);
      clock.pass(Duration.ofMinutes(10));
      assertThat(held(store)).containsExactly(6, 7, 8, 9);
      store.database().put(key(10), new byte[1]);
      clock.pass(Duration.ofHours(2)); // what is not flushed has no age yet
      assertThat(held(store)).containsExactly(10);
      store.flush();
      clock.pass(Duration.ofMillis(3_599_999));
      assertThat(held(store)).containsExactly(10);
      clock.pass(Duration.ofMillis(1));
      assertThat(held(store)).isEmpty();
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isZero();
    }
  }

  /** A step backwards to the first entry of an SST has left the SST before the value is read. */
  @Test
  void aCursorHasTheValueOfItsEntryThoughThatWasDropped() {
    StoreOptions options = anHour().splitUnitBytes(4 << 10).build();
    for (int at = 0; at < 10; at++) {
      Path own = directory.resolve("store" + at);
      try (Store store = Store.builder(own).options(options).clock(clock).open()) {
        for (int i = 0; i < 10; i++) {
          store.database().put(key(i), new byte[2000 + i]);
        }
        store.flush();
        clock.pass(Duration.ofMinutes(50));
        store.database().put(key(50), new byte[2050]);
        store.flush();
        try (Cursor cursor = store.database().cursor()) {
          cursor.seekBefore(key(at + 1));
          clock.pass(Duration.ofMinutes(10));
          assertThat(held(store)).containsExactly(50);
          assertThat(cursor.key()).isEqualTo(key(at));
          assertThat(cursor.value()).hasSize(2000 + at);
        }
      }
    }
  }

  /** Nobody calls it after the flush. */
  @Test
  void anIdleStoreDropsByItself() throws Exception {
    CountDownLatch dropped = new CountDownLatch(1);
    StoreOptions options =
        anHour().compaction(CompactionPolicy.fifo(1 << 30, Duration.ofSeconds(1))).build();
    StoreListener listener =
        new StoreListener() {
          @Override
          public void compacted(CompactionEvent event) {
            dropped.countDown();
          }
        };
    try (Store store = Store.builder(directory).options(options).listener(listener).open()) {
      store.database().put(key(1), new byte[1]);
      store.flush();
      assertThat(dropped.await(5, TimeUnit.MINUTES)).isTrue();
      assertThat(held(store)).isEmpty();
    }
  }

  @Test
  void aStoreThatIsOpenedAgainKnowsHowOldItsTreesAre() {
    try (Store store = openAged()) {
      putEveryTenMinutes(store, 0, 3);
    }
    clock.pass(Duration.ofMinutes(39));
    try (Store store = openAged()) {
      assertThat(held(store)).containsExactly(1, 2);
      clock.pass(Duration.ofMinutes(1));
      assertThat(held(store)).containsExactly(2);
    }
    clock.pass(Duration.ofMinutes(9));
    try (Store store = openAged()) {
      assertThat(held(store)).containsExactly(2);
      clock.pass(Duration.ofMinutes(1));
      assertThat(held(store)).isEmpty();
    }
  }

  @Test
  void aCheckpointKnowsHowOldItsTreesAre() {
    Path copy = directory.resolve("copy");
    directory = directory.resolve("store");
    try (Store store = openAged()) {
      putEveryTenMinutes(store, 0, 3);
      store.checkpoint(copy);
    }
    directory = copy;
    clock.pass(Duration.ofMinutes(39));
    try (Store store = openAged()) {
      assertThat(held(store)).containsExactly(1, 2);
    }
  }

  /** A merge is as old as the newest of what it was made of. */
  @Test
  void anotherPolicyKeepsTheTimes() {
    StoreOptions merging =
        anHour().compaction(CompactionPolicy.splitForest(64)).maxSpaceAmplification(0).build();
    try (Store store = Store.builder(directory).options(merging).clock(clock).open()) {
      for (int i = 0; i < 4; i++) { // all overlap, so that they are merged
        store.database().put(key(i), new byte[1]);
        store.database().put(key(50 + i), new byte[1]);
        store.flush();
        clock.pass(Duration.ofMinutes(10));
      }
      clock.pass(Duration.ofMinutes(29));
      store.database().compact(); // which writes nothing newer
      assertThat(trees(store)).isEqualTo(1);
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isPositive();
    }
    clock.pass(Duration.ofMinutes(20)); // the newest was written 59 minutes ago
    try (Store store = openAged()) {
      assertThat(held(store)).containsExactly(0, 1, 2, 3, 50, 51, 52, 53);
      clock.pass(Duration.ofMinutes(1));
      assertThat(held(store)).isEmpty();
    }
  }

  /** They were made before; and they are the newest tree, however large. */
  @Test
  void anIngestedFileIsAsOldAsItIs() {
    Path file = directory.resolve("made.sst");
    directory = directory.resolve("store");
    try (Store store = openAged();
        SstFileWriter writer = SstFileWriter.create(file, StoreOptions.DEFAULT)) {
      writer.put(key(50), new byte[1]);
      List<Path> files = writer.finish().files();
      clock.now = Instant.now();
      clock.pass(Duration.ofMinutes(30));
      putEveryTenMinutes(store, 0, 1);
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertThat(held(store)).containsExactly(0, 50);
      clock.pass(Duration.ofMinutes(30)); // the file is too old, what lies below is not
      assertThat(held(store)).containsExactly(0, 50);
      clock.pass(Duration.ofMinutes(20));
      assertThat(held(store)).isEmpty();
    }
  }

  /** A large tree would be in a stage below, and what is there is the oldest. */
  @Test
  void whatIsIngestedIsTheNewestHoweverLarge() {
    Path file = directory.resolve("made.sst");
    directory = directory.resolve("store");
    try (Store store = openIdle(CompactionPolicy.fifo(4 << 20));
        SstFileWriter writer = SstFileWriter.create(file, StoreOptions.DEFAULT)) {
      put(store, 0, 5_000);
      store.flush();
      for (int i = 80_000; i < 90_000; i++) {
        writer.put(key(i), new byte[VALUE_BYTES]);
      }
      store.database().ingest(writer.finish().files(), IngestOptions.DEFAULT);
      put(store, 100_000, 106_000);
      assertThat(bytes(store)).isLessThan(4 << 20);
      assertThat(store.database().get(key(0))).isNull();
      assertThat(store.database().get(key(85_000))).isNotNull();
    }
  }
}
