package io.sifr.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.ratis.util.FileUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers in JVMs of their own; the one that leads is killed under load, and started again,
 * over and over. The second one killed also loses its disk, and from then on they come back so late
 * that the leader's log has not what they lack. In the end all have the same entries, and every
 * write that was acknowledged.
 */
@Tag("process")
class KilledLeaderTest {
  private static final int KILLS = Integer.getInteger("sifr.ratis.kills", 3);
  private static final int ENTRIES = Integer.getInteger("sifr.ratis.entries", 1_000);
  private static final long SEED = Long.getLong("sifr.ratis.seed", System.nanoTime());
  private static final int WRITERS = 16;
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final String MARK = "mark";

  private final Map<String, Process> servers = new TreeMap<>();
  private final Map<String, Integer> starts = new HashMap<>();
  private final AtomicInteger acknowledged = new AtomicInteger();

  @TempDir Path directory;

  @AfterEach
  void endAll() throws Exception {
    for (Process server : servers.values()) {
      server.destroyForcibly().waitFor();
    }
  }

  @Test
  void noAcknowledgedWriteIsLost() throws Exception {
    say("seed " + SEED);
    String addresses = addresses();
    for (String server : List.of("a", "b", "c")) {
      start(server, addresses);
    }
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    AtomicBoolean isOver = new AtomicBoolean();
    List<Writer> writers = new ArrayList<>();
    try (Client client = new Client(addresses)) {
      await("a first leader", () -> client.leader() != null);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        Writer writer = new Writer(client, "w" + i, new Random(SEED + i), isOver);
        writers.add(writer);
        running.add(threads.submit(writer));
      }
      awaitWrites(ENTRIES / (KILLS + 1));
      // So that the first one has a snapshot that is older than its store when it comes back.
      for (String server : servers.keySet()) {
        var unused = takeSnapshot(client, server);
      }
      for (int round = 0; round < KILLS; round++) {
        killLeader(client, addresses, round);
      }
      isOver.set(true);
      for (Future<?> writer : running) {
        writer.get();
      }
      for (String server : servers.keySet()) {
        awaitMark(client, server, "end");
      }
      for (Process server : servers.values()) {
        server.destroy();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
      }
    } finally {
      isOver.set(true);
      threads.shutdownNow();
    }
    Map<String, String> a = entries("a");
    assertThat(entries("b")).isEqualTo(a);
    assertThat(entries("c")).isEqualTo(a);
    int doubtful = 0;
    for (Writer writer : writers) {
      writer.check(a);
      doubtful += writer.doubtful.size();
    }
    say(
        acknowledged.get()
            + " writes acknowledged, "
            + doubtful
            + " not; "
            + a.size()
            + " entries on each server");
  }

  private void killLeader(Client client, String addresses, int round) throws Exception {
    awaitWrites(ENTRIES / (KILLS + 1));
    await("a leader", () -> client.leader() != null);
    String leader = String.valueOf(client.leader());
    Process killed = Objects.requireNonNull(servers.remove(leader));
    int before = acknowledged.get();
    long from = System.nanoTime();
    killed.destroyForcibly().waitFor();
    // Those under way may be among them.
    awaitWrites(WRITERS + 1);
    say(
        "round %d: %s killed after %d writes; others acknowledged after %d ms"
            .formatted(round, leader, before, millisSince(from)));
    if (round >= 1) {
      if (round == 1) {
        FileUtils.deleteFully(directory.resolve(leader).toFile());
        say("round 1: " + leader + " has lost its disk");
      }
      awaitLogWithout(client, newestIndex(client));
    }
    say("round %d: %s is started again %d ms later".formatted(round, leader, millisSince(from)));
    from = System.nanoTime();
    File output = start(leader, addresses);
    String mark = "round " + round;
    awaitMark(client, leader, mark);
    boolean isFromSnapshot = Files.readString(output.toPath()).contains("is made of the snapshot");
    say(
        "round %d: %s back after %d ms, %s"
            .formatted(
                round,
                leader,
                millisSince(from),
                isFromSnapshot ? "by a snapshot of the leader's" : "by the leader's log"));
    assertThat(isFromSnapshot).isEqualTo(round >= 1);
  }

  /** What every server that is up has applied at least; who is down has not. */
  private long newestIndex(Client client) throws Exception {
    long newest = 0;
    for (String server : servers.keySet()) {
      newest = Math.max(newest, takeSnapshot(client, server));
    }
    return newest;
  }

  /** Writes go on until no server that is up has the entry in its log. */
  private void awaitLogWithout(Client client, long entry) throws Exception {
    for (String server : servers.keySet()) {
      await(
          server + " to drop its log up to " + entry,
          () -> {
            var unused = client.takeSnapshot(server);
            return firstLogged(server) > entry;
          });
    }
  }

  /** The first entry in the files of a server's log. */
  private long firstLogged(String server) throws IOException {
    try (Stream<Path> files = Files.list(group(server).resolve("current"))) {
      return files
          .map(file -> Pattern.compile("log_(?:inprogress_)?(\\d+).*").matcher(name(file)))
          .filter(Matcher::matches)
          .mapToLong(name -> Long.parseLong(name.group(1)))
          .min()
          .orElse(0);
    }
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }

  private Map<String, String> entries(String server) throws IOException {
    Map<String, String> entries = new TreeMap<>();
    try (Store store = Store.builder(group(server).resolve("store")).openReadOnly();
        Cursor cursor = store.database().cursor()) {
      while (cursor.next()) {
        entries.put(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
      }
    }
    return entries;
  }

  /** Where a server has its log, its snapshots and its store. */
  private Path group(String server) throws IOException {
    try (Stream<Path> paths = Files.list(directory.resolve(server))) {
      return paths.filter(Files::isDirectory).findFirst().orElseThrow();
    }
  }

  private File start(String server, String addresses) throws IOException {
    int count = starts.merge(server, 1, Integer::sum);
    File output = directory.resolve("output-" + server + "-" + count).toFile();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dsifr.ratis.segmentBytes=16384",
                "-cp",
                System.getProperty("java.class.path"),
                Server.class.getName(),
                server,
                addresses,
                directory.resolve(server).toString())
            .redirectErrorStream(true)
            .redirectOutput(output)
            .start();
    servers.put(server, process);
    return output;
  }

  /** All are taken before the first one is given back, so no two are the same. */
  private static String addresses() throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket a = new ServerSocket(0, 1, here);
        ServerSocket b = new ServerSocket(0, 1, here);
        ServerSocket c = new ServerSocket(0, 1, here)) {
      return "a=127.0.0.1:%d,b=127.0.0.1:%d,c=127.0.0.1:%d"
          .formatted(a.getLocalPort(), b.getLocalPort(), c.getLocalPort());
    }
  }

  private void awaitWrites(int more) throws Exception {
    int until = acknowledged.get() + more;
    await(more + " writes", () -> acknowledged.get() >= until);
  }

  /** Writes a mark, after all that was written before it, and waits until a server has it. */
  private void awaitMark(Client client, String server, String mark) throws Exception {
    await(
        "writing " + mark,
        () -> {
          client.put(MARK, mark);
          return true;
        });
    await(mark + " on " + server, () -> mark.equals(client.getFrom(server, MARK)));
  }

  private long takeSnapshot(Client client, String server) throws Exception {
    AtomicLong last = new AtomicLong();
    await(
        "a snapshot of " + server,
        () -> {
          last.set(client.takeSnapshot(server));
          return true;
        });
    say(server + " took a snapshot of entry " + last);
    return last.get();
  }

  private void await(String what, Callable<Boolean> condition) throws Exception {
    long from = System.nanoTime();
    while (!holds(condition)) {
      for (Map.Entry<String, Process> server : servers.entrySet()) {
        assertThat(server.getValue().isAlive()).as(server.getKey() + " goes on").isTrue();
      }
      assertThat(millisSince(from)).as("time for " + what).isLessThan(LONGEST.toMillis());
      Thread.sleep(20);
    }
  }

  /** A server that is starting, or was just killed, has no answer yet. */
  private static boolean holds(Callable<Boolean> condition) throws Exception {
    try {
      return condition.call();
    } catch (IOException e) {
      return false;
    }
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }

  private static void say(String what) {
    System.out.println("KilledLeaderTest: " + what);
  }

  /** Puts and deletes keys of its own, one after the other, and knows what they must be. */
  private final class Writer implements Callable<Void> {
    private static final int KEYS = 100;

    private final Client client;
    private final String name;
    private final Random random;
    private final AtomicBoolean isOver;

    /** The last acknowledged value; "" if the key was deleted. */
    private final Map<String, String> expected = new HashMap<>();

    /** Keys, with the value that was not acknowledged; they are not written any more. */
    private final Map<String, String> doubtful = new HashMap<>();

    private Writer(Client client, String name, Random random, AtomicBoolean isOver) {
      this.client = client;
      this.name = name;
      this.random = random;
      this.isOver = isOver;
    }

    @Override
    public Void call() {
      for (int i = 0; !isOver.get(); i++) {
        String key = name + "-" + random.nextInt(KEYS);
        String value = random.nextInt(4) == 0 ? "" : name + " wrote " + i + " ".repeat(80) + i;
        if (doubtful.containsKey(key)) {
          continue;
        }
        try {
          if (value.isEmpty()) {
            client.delete(key);
          } else {
            client.put(key, value);
          }
          expected.put(key, value);
          acknowledged.incrementAndGet();
        } catch (IOException e) {
          doubtful.put(key, value);
        }
      }
      return null;
    }

    private void check(Map<String, String> entries) {
      expected.forEach(
          (key, value) -> {
            String found = entries.getOrDefault(key, "");
            if (!found.equals(doubtful.get(key))) {
              assertThat(found).as(key).isEqualTo(value);
            }
          });
    }
  }
}
