package io.sifr.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes in JVMs of their own, one of which is killed while entries are loaded, and started
 * again; then a fourth comes. In the end each entry that was acknowledged is there, also after the
 * whole cluster was shut down and started again.
 */
@Tag("process")
class KilledNodeTest {
  private static final int ENTRIES = Integer.getInteger("sifr.infinispan.entries", 6_000);

  /** Of some four megabytes of entries a node, so that most are only in its store. */
  private static final int MEMORY_MEGABYTES = Math.max(1, ENTRIES / 15_000);

  /**
   * Not the oldest, which coordinates the others: after its death {@code Cache.shutdown} stops a
   * single node, with which the test ends.
   */
  private static final int KILLED = 1;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  @Test
  void nothingThatWasAcknowledgedIsLost() throws Exception {
    try (Cluster cluster = new Cluster(directory, 4, MEMORY_MEGABYTES)) {
      long start = System.nanoTime();
      cluster.start(0);
      cluster.start(1, 2);
      cluster.await(0, status -> status.isWell(3));
      say("three nodes are ready after " + millisSince(start) + " ms");

      int half = ENTRIES / 2;
      Ycsb first = load(cluster, 0, half, "first-half").awaitEnd();
      say("loaded " + first.count("INSERT", "OK") + ", " + first.throughput() + " entries/s");
      assertThat(first.count("INSERT", "OK")).isEqualTo(half);

      long before = cluster.status(KILLED).writes();
      Ycsb second = load(cluster, half, ENTRIES - half, "second-half");
      cluster.await(KILLED, status -> status.writes() > before + half / 5);
      assertThat(second.isRunning()).isTrue();
      cluster.kill(KILLED);
      say(
          "a node is killed, "
              + cluster.await(0, status -> status.isWell(2))
              + " ms until two have all entries");
      long again = System.nanoTime();
      cluster.start(KILLED);
      cluster.await(0, status -> status.isWell(3));
      say("it is started again, " + millisSince(again) + " ms until three have all entries");
      second.awaitEnd();
      say(
          "loaded "
              + second.count("INSERT", "OK")
              + ", "
              + second.throughput()
              + " entries/s, "
              + second.count("INSERT", "ERROR")
              + " attempts failed");
      assertThat(second.count("INSERT", "OK")).isEqualTo(ENTRIES - half);

      long fourth = System.nanoTime();
      cluster.start(3);
      cluster.await(0, status -> status.isWell(4));
      say("a fourth is started, " + millisSince(fourth) + " ms until four have all entries");
      check(cluster, "after-the-fourth");

      cluster.shutDown();
      long restart = System.nanoTime();
      cluster.start(0, 1, 2, 3);
      cluster.await(0, status -> status.isWell(4));
      say("all are shut down and started, ready after " + millisSince(restart) + " ms");
      check(cluster, "after-the-shutdown");
    }
  }

  private Ycsb load(Cluster cluster, int from, int count, String name) throws Exception {
    return Ycsb.start(
        cluster.clientAddresses(),
        "-load",
        Map.of(
            "recordcount",
            from + count,
            "insertstart",
            from,
            "insertcount",
            count,
            // An insert that fails while a node goes is not acknowledged, and tried again.
            "core_workload_insertion_retry_limit",
            20),
        directory.resolve(name));
  }

  /** Reads each entry, and checks its content. */
  private void check(Cluster cluster, String name) throws Exception {
    Ycsb read =
        Ycsb.start(
                cluster.clientAddresses(),
                "-t",
                Map.of(
                    "recordcount",
                    ENTRIES,
                    "operationcount",
                    ENTRIES,
                    "requestdistribution",
                    "sequential",
                    "readproportion",
                    1,
                    "updateproportion",
                    0),
                directory.resolve(name))
            .awaitEnd();
    say("read " + read.count("VERIFY", "OK") + " entries, " + read.throughput() + " entries/s");
    assertThat(read.count("READ", "OK")).isEqualTo(ENTRIES);
    assertThat(read.count("VERIFY", "OK")).isEqualTo(ENTRIES);
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }

  private static void say(String what) {
    System.out.println("KilledNodeTest: " + what);
  }
}
