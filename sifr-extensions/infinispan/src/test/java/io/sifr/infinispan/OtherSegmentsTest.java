package io.sifr.infinispan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.KeyRange;
import io.sifr.Store;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.infinispan.Cache;
import org.infinispan.commons.time.ControlledTimeService;
import org.infinispan.commons.time.TimeService;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.HashConfiguration;
import org.infinispan.distribution.ch.KeyPartitioner;
import org.infinispan.distribution.ch.impl.HashFunctionPartitioner;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;
import org.infinispan.test.TestingUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cache that is given other segments than before has all its entries. */
@Tag("host")
class OtherSegmentsTest {
  private static final String CACHE = "orders";
  private static final int NOT_SEGMENTED = 0;
  private static final long LIFESPAN_SECONDS = 600;

  @TempDir Path directory;

  private final ControlledTimeService time = new ControlledTimeService();

  /** Another way to divide the keys, into as many segments. */
  public static final class ByLength implements KeyPartitioner {
    private int segments;

    @Override
    public void init(HashConfiguration configuration) {
      segments = configuration.numSegments();
    }

    @Override
    public int getSegment(Object key) {
      return ((String) key).length() % segments;
    }
  }

  /** Ends the process, as a kill does, when it has been asked often enough. */
  public static final class Halting implements KeyPartitioner {
    private static final AtomicInteger CALLS_LEFT = new AtomicInteger();

    private final HashFunctionPartitioner own = new HashFunctionPartitioner();

    @Override
    public void init(HashConfiguration configuration) {
      own.init(configuration);
    }

    @Override
    public int getSegment(Object key) {
      if (CALLS_LEFT.getAndDecrement() == 0) {
        Runtime.getRuntime().halt(7);
      }
      return own.getSegment(key);
    }
  }

  private static ConfigurationBuilder configuration(
      Path directory, int segments, KeyPartitioner partitioner) {
    ConfigurationBuilder cache = new ConfigurationBuilder();
    cache
        .clustering()
        .hash()
        .numSegments(Math.max(1, segments))
        .keyPartitioner(partitioner)
        .persistence()
        .addStore(SifrStoreConfigurationBuilder.class)
        .location(directory.toString())
        .segmented(segments != NOT_SEGMENTED);
    return cache;
  }

  private Cache<String, String> cache(
      EmbeddedCacheManager manager, int segments, KeyPartitioner partitioner) {
    TestingUtil.replaceComponent(manager, TimeService.class, time, true);
    return manager.createCache(CACHE, configuration(directory, segments, partitioner).build());
  }

  private static void check(Cache<String, String> cache, Map<String, String> wanted) {
    assertThat(cache.size()).isEqualTo(wanted.size());
    wanted.forEach((key, value) -> assertThat(cache.get(key)).isEqualTo(value));
    assertThat(new HashMap<>(cache)).isEqualTo(wanted);
  }

  @Test
  void itHasAllEntriesAndTheseExpireAtTheirTime() throws Exception {
    Map<String, String> wanted = new HashMap<>();
    int[] segments = {256, 7, NOT_SEGMENTED, 300, 1, 256};
    for (int round = 0; round < segments.length; round++) {
      try (DefaultCacheManager manager = new DefaultCacheManager()) {
        Cache<String, String> cache =
            cache(manager, segments[round], new HashFunctionPartitioner());
        check(cache, wanted);
        for (int i = 0; i < 60; i++) {
          String key = "key " + (40 * round + i);
          cache.put(key, "value " + round);
          wanted.put(key, "value " + round);
        }
        String gone = "key " + 50 * round;
        cache.remove(gone);
        wanted.remove(gone);
        cache.put("expires " + round, "later", LIFESPAN_SECONDS, TimeUnit.SECONDS);
        wanted.put("expires " + round, "later");
      }
    }
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      Cache<String, String> cache = cache(manager, 256, new ByLength());
      check(cache, wanted);
      time.advance(TimeUnit.SECONDS.toMillis(LIFESPAN_SECONDS + 1));
      wanted.keySet().removeIf(key -> key.startsWith("expires"));
      check(cache, wanted);
      cache.getAdvancedCache().getExpirationManager().processExpiration();
    }
    try (Store store = Store.open(own())) {
      assertThat(store.database("expiry").firstEntry(KeyRange.all())).isNull();
      assertThat(store.database("entries").count(KeyRange.all())).isEqualTo(wanted.size());
    }
  }

  @Test
  void largeValuesAreApartFromTheirKeysAndMoveWithThem() throws Exception {
    byte[] large = new byte[3_000_000];
    new Random(1).nextBytes(large);
    for (int segments : new int[] {256, 7}) {
      try (DefaultCacheManager manager = new DefaultCacheManager()) {
        HashFunctionPartitioner partitioner = new HashFunctionPartitioner();
        Cache<String, byte[]> cache =
            manager.createCache(CACHE, configuration(directory, segments, partitioner).build());
        if (segments == 256) {
          cache.put("large", large);
          cache.put("small", new byte[10]);
        }
        assertThat(cache.get("large")).isEqualTo(large);
        assertThat(cache.size()).isEqualTo(2);
      }
      try (Stream<Path> files = Files.list(own())) {
        assertThat(files).anyMatch(file -> file.toString().endsWith(".values"));
      }
    }
  }

  private Path own() {
    return directory.resolve(CACHE).resolve("sifr");
  }

  @Test
  void aMoveThatWasKilledIsFinished() throws Exception {
    long seed = new Random().nextLong();
    System.out.println("OtherSegmentsTest: seed " + seed);
    Random random = new Random(seed);
    Map<String, String> wanted = new HashMap<>();
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      Cache<String, String> cache = cache(manager, 256, new HashFunctionPartitioner());
      for (int i = 0; i < 300; i++) {
        String value = i + "-".repeat(20_000);
        cache.put("key " + i, value, LIFESPAN_SECONDS, TimeUnit.SECONDS);
        wanted.put("key " + i, value);
      }
    }
    assertThat(segments()).startsWith("256 ");
    // Some batches are written by then, and more are to come.
    killWhileItMoves(100, 100 + random.nextInt(100));
    assertThat(segments()).isEqualTo("moving");
    killWhileItMoves(77, 100 + random.nextInt(500));
    assertThat(segments()).isEqualTo("moving");
    // With the segments it had at first: some entries are in others by now.
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      check(cache(manager, 256, new HashFunctionPartitioner()), wanted);
    }
    assertThat(segments()).startsWith("256 ");
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      Cache<String, String> cache = cache(manager, 256, new HashFunctionPartitioner());
      time.advance(TimeUnit.SECONDS.toMillis(LIFESPAN_SECONDS + 1));
      cache.getAdvancedCache().getExpirationManager().processExpiration();
    }
    try (Store store = Store.open(own())) {
      assertThat(store.database("expiry").firstEntry(KeyRange.all())).isNull();
      assertThat(store.database("entries").firstEntry(KeyRange.all())).isNull();
    }
  }

  private String segments() {
    try (Store store = Store.open(own())) {
      byte[] written = store.database("infinispan").get("segments".getBytes(UTF_8));
      return new String(Objects.requireNonNull(written), UTF_8);
    }
  }

  private void killWhileItMoves(int segments, int calls) throws Exception {
    File log = directory.resolve("killed.log").toFile();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Killed.class.getName(),
                directory.toString(),
                Integer.toString(segments),
                Integer.toString(calls))
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start();
    assertThat(process.waitFor()).as("see " + log).isEqualTo(7);
  }

  /** Opens the cache, and is halted while its entries are moved. */
  static final class Killed {
    private Killed() {}

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[0]);
      int segments = Integer.parseInt(args[1]);
      Halting.CALLS_LEFT.set(Integer.parseInt(args[2]));
      try (DefaultCacheManager manager = new DefaultCacheManager()) {
        manager.createCache(CACHE, configuration(directory, segments, new Halting()).build());
      }
    }
  }
}
