package io.sifr.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.ThreadMXBean;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.spi.MergeOperator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of entries hold all of them, once, in both directions; and values come in parts. */
class EntriesTest {
  private static final int MOST_LENGTH = 6;

  private final long seed = Long.getLong("sifr.web.seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private Store store;
  private StoreWindow window;
  private URI address;
  private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  @BeforeEach
  void open() {
    store =
        Store.inMemory().options(StoreOptions.builder().writeBufferBytes(4 << 10).build()).open();
    window = StoreWindow.builder(store).open();
    address = window.address();
  }

  @AfterEach
  void close() {
    window.close();
    store.close();
  }

  private byte[] key() {
    byte[] key = new byte[random.nextInt(MOST_LENGTH)];
    for (int i = 0; i < key.length; i++) {
      // Few different bytes, so that keys are prefixes of others; the largest among them.
      key[i] = (byte) (random.nextInt(4) - 2);
    }
    return key;
  }

  private void fill() {
    Database database = store.database();
    for (int i = 0; i < 1500; i++) {
      byte[] key = key();
      if (random.nextInt(5) == 0) {
        database.delete(key);
        model.remove(key);
      } else {
        byte[] value = new byte[random.nextInt(400)];
        random.nextBytes(value);
        database.put(key, value);
        model.put(key, value);
      }
      if (i == 500) {
        store.flush();
      }
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static byte[] bytes(JsonNode digits) {
    return HexFormat.of().parseHex(digits.asText());
  }

  private JsonNode page(String parameters) throws IOException {
    return Http.json(address, "/api/entries?" + parameters);
  }

  private static List<String> keys(JsonNode page) {
    List<String> keys = new ArrayList<>();
    page.get("entries").forEach(entry -> keys.add(entry.get("key").asText()));
    return keys;
  }

  private NavigableMap<byte[], byte[]> withPrefix(byte[] prefix) {
    NavigableMap<byte[], byte[]> those = new TreeMap<>(Arrays::compareUnsigned);
    model.forEach(
        (key, value) -> {
          if (hex(key).startsWith(hex(prefix))) {
            those.put(key, value);
          }
        });
    return those;
  }

  @Test
  void pagesAreCompleteInBothDirections() throws IOException {
    fill();
    for (int round = 0; round < 24; round++) {
      byte[] prefix = round % 4 == 0 ? new byte[0] : Arrays.copyOf(key(), random.nextInt(3));
      int limit = 8 + random.nextInt(40);
      NavigableMap<byte[], byte[]> expected = withPrefix(prefix);
      String what = "seed " + seed + ", prefix " + hex(prefix) + ", limit " + limit;
      String base = "prefix=" + hex(prefix) + "&limit=" + limit;
      List<String> all = expected.keySet().stream().map(EntriesTest::hex).toList();

      List<String> forward = new ArrayList<>();
      JsonNode page = page(base);
      assertThat(page.get("previous").asBoolean()).as(what).isFalse();
      forward.addAll(keys(page));
      while (page.get("next").asBoolean()) {
        page = page(base + "&after=" + forward.get(forward.size() - 1));
        assertThat(page.get("previous").asBoolean()).as(what).isTrue();
        forward.addAll(keys(page));
      }
      assertThat(forward).as(what).isEqualTo(all);

      List<String> backward = new ArrayList<>();
      page = page(base + "&end=true");
      assertThat(page.get("next").asBoolean()).as(what).isFalse();
      backward.addAll(reversed(keys(page)));
      while (page.get("previous").asBoolean()) {
        page = page(base + "&before=" + backward.get(backward.size() - 1));
        assertThat(page.get("next").asBoolean()).as(what).isTrue();
        backward.addAll(reversed(keys(page)));
      }
      assertThat(reversed(backward)).as(what).isEqualTo(all);
    }
  }

  private static List<String> reversed(List<String> keys) {
    List<String> other = new ArrayList<>(keys);
    Collections.reverse(other);
    return other;
  }

  @Test
  void aPageBeginsWhereItIsAskedTo() throws IOException {
    fill();
    for (int round = 0; round < 200; round++) {
      byte[] place = key();
      String what = "seed " + seed + ", " + hex(place);
      assertPage(what, page("limit=3&from=" + hex(place)), model.tailMap(place, true), false);
      assertPage(what, page("limit=3&after=" + hex(place)), model.tailMap(place, false), false);
      assertPage(what, page("limit=3&before=" + hex(place)), model.headMap(place, false), true);
    }
  }

  @Test
  void beyondTheEndsThereIsNothing() throws IOException {
    store.database().put(new byte[] {1}, new byte[0]);
    JsonNode last = page("before=ffff");
    assertThat(keys(last)).containsExactly("01");
    assertThat(last.get("next").asBoolean()).isFalse();
    assertThat(last.get("previous").asBoolean()).isFalse();
    JsonNode none = page("after=ffff");
    assertThat(keys(none)).isEmpty();
    assertThat(none.get("next").asBoolean()).isFalse();
    assertThat(none.get("previous").asBoolean()).isTrue();
    JsonNode before = page("before=00");
    assertThat(keys(before)).isEmpty();
    assertThat(before.get("next").asBoolean()).isTrue();
  }

  /** Of the first or the last entries of those. */
  private void assertPage(
      String what, JsonNode page, NavigableMap<byte[], byte[]> those, boolean areLast) {
    List<Map.Entry<byte[], byte[]>> all = new ArrayList<>(those.entrySet());
    int from = areLast ? Math.max(0, all.size() - 3) : 0;
    int to = areLast ? all.size() : Math.min(3, all.size());
    JsonNode entries = page.get("entries");
    assertThat(entries).as(what).hasSize(to - from);
    for (int i = from; i < to; i++) {
      JsonNode entry = entries.get(i - from);
      byte[] value = all.get(i).getValue();
      assertThat(bytes(entry.get("key"))).as(what).isEqualTo(all.get(i).getKey());
      assertThat(entry.get("length").asInt()).as(what).isEqualTo(value.length);
      assertThat(bytes(entry.get("value")))
          .as(what)
          .isEqualTo(Arrays.copyOf(value, Math.min(256, value.length)));
    }
    assertThat(page.get("next").asBoolean())
        .as(what)
        .isEqualTo(areLast ? model.size() > all.size() : to < all.size());
    assertThat(page.get("previous").asBoolean())
        .as(what)
        .isEqualTo(areLast ? from > 0 : model.size() > all.size());
  }

  @Test
  void aValueComesInParts() throws IOException {
    byte[] value = new byte[1_000_000];
    random.nextBytes(value);
    Database large =
        store.createDatabase(
            "large", DatabaseOptions.builder().separateValuesFrom(16 << 10).build());
    large.put(new byte[] {1}, value);
    large.put(new byte[] {2}, new byte[0]);
    store.flush();

    JsonNode entries = page("database=large").get("entries");
    assertThat(bytes(entries.get(0).get("value"))).isEqualTo(Arrays.copyOf(value, 256));
    assertThat(entries.get(0).get("length").asInt()).isEqualTo(value.length);
    assertThat(entries.get(1).get("value").asText()).isEmpty();

    byte[] whole = new byte[value.length];
    int from = 0;
    while (from < whole.length) {
      JsonNode part =
          Http.json(address, "/api/value?database=large&key=01&length=65536&from=" + from);
      assertThat(part.get("length").asInt()).isEqualTo(value.length);
      byte[] read = bytes(part.get("part"));
      System.arraycopy(read, 0, whole, from, read.length);
      from += read.length;
    }
    assertThat(whole).isEqualTo(value);
    assertThat(Http.json(address, "/api/value?database=large&key=01&from=1000000").get("part"))
        .hasToString("\"\"");
    assertThat(Http.json(address, "/api/value?database=large&key=02").get("length").asInt())
        .isZero();
  }

  @Test
  void ofALargeValueLittleIsRead(@TempDir Path directory) throws IOException {
    byte[] value = new byte[64 << 20];
    try (Store onDisk = Store.open(directory);
        StoreWindow into = StoreWindow.builder(onDisk).open()) {
      onDisk.database().put(new byte[] {1}, value);
      onDisk.flush();
      long before = allocated();
      JsonNode page = Http.json(into.address(), "/api/entries");
      JsonNode part = Http.json(into.address(), "/api/value?key=01&from=60000000");
      assertThat(allocated() - before).isBetween(1L, 16L << 20);
      assertThat(page.at("/entries/0/length").asInt()).isEqualTo(value.length);
      assertThat(part.get("part").asText()).hasSize(2 * 4096);
    }
  }

  /** Bytes that the threads of requests have allocated so far. */
  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().equals("sifr-web")) {
        bytes += threads.getThreadAllocatedBytes(thread.getThreadId());
      }
    }
    return bytes;
  }

  /** Keys as long as they may be: a page ends earlier, and the next one goes on. */
  @Test
  void aPageIsBounded() throws IOException {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      byte[] key = new byte[1 << 16];
      key[0] = (byte) i;
      all.add(hex(key));
      store.database().put(key, new byte[0]);
    }
    List<String> seen = new ArrayList<>();
    boolean isMore = true;
    while (isMore) {
      String after = seen.isEmpty() ? "" : "&after=" + seen.get(seen.size() - 1);
      JsonNode page = page("limit=200" + after);
      assertThat(page.toString().length()).isLessThan(2 << 20);
      seen.addAll(keys(page));
      isMore = page.get("next").asBoolean();
    }
    assertThat(seen).isEqualTo(all);
  }

  @Test
  void whenAValueExpiresIsTold() throws IOException {
    long before = System.currentTimeMillis();
    store
        .database()
        .put(
            new byte[] {1},
            new byte[] {2},
            WriteOptions.builder().expireAfter(Duration.ofHours(1)).build());
    assertThat(page("").at("/entries/0/expires").asLong())
        .isBetween(before + 3_600_000, System.currentTimeMillis() + 3_600_000);
  }

  /** All entries of a page are of one moment, whatever is written meanwhile. */
  @Test
  void aPageIsOfOneMoment() throws Exception {
    Database database = store.database();
    AtomicBoolean isEnd = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; !isEnd.get(); i++) {
                WriteBatch batch = new WriteBatch();
                for (int key = 0; key < 20; key++) {
                  batch.put(database, new byte[] {(byte) key}, large(i));
                }
                store.write(batch);
              }
            });
    writer.start();
    try {
      for (int i = 0; i < 50; i++) {
        JsonNode entries = page("limit=200").get("entries");
        assertThat(entries.findValuesAsText("value").stream().distinct().count())
            .as("round %s", i)
            .isLessThanOrEqualTo(1);
      }
    } finally {
      isEnd.set(true);
      writer.join();
    }
  }

  /** So large that it is read by itself, and not with the others. */
  private static byte[] large(int round) {
    byte[] value = new byte[5000];
    value[0] = (byte) round;
    return value;
  }

  /** A tool does not know the merge operators of a program. */
  @Test
  void whatCannotBeReadIsToldAndTheRestIsShown(@TempDir Path directory) throws IOException {
    try (Store writer = Store.builder(directory).mergeOperator(new LastOperand()).open()) {
      Database database =
          writer.createDatabase(
              "merged", DatabaseOptions.builder().mergeOperator("last operand").build());
      database.put(new byte[] {1}, new byte[] {1});
      database.merge(new byte[] {2}, new byte[] {2});
      database.put(new byte[] {3}, new byte[] {3});
    }
    try (Store tool = Store.builder(directory).allowUnregistered().openReadOnly();
        StoreWindow into = StoreWindow.builder(tool).open()) {
      String question = "/api/entries?database=merged";
      JsonNode page = Http.json(into.address(), question);
      assertThat(page.toString()).contains("last operand");
      assertThat(keys(page)).contains("01");
      assertThat(keys(Http.json(into.address(), question + "&from=03"))).contains("03");
      Http.Response value = Http.get(into.address(), "/api/value?database=merged&key=02");
      assertThat(value.status()).isEqualTo(500);
      assertThat(value.error()).contains("last operand");
    }
  }

  private static final class LastOperand implements MergeOperator {
    @Override
    public String name() {
      return "last operand";
    }

    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      return operand;
    }
  }
}
