package io.sifr.infinispan;

import java.nio.file.Path;
import java.util.stream.IntStream;

/** Runs a cluster until its standard input ends. */
final class StartCluster {
  private StartCluster() {}

  /**
   * Starts it.
   *
   * @param args how many nodes, and the directory for what they keep
   */
  public static void main(String[] args) throws Exception {
    int nodes = Integer.parseInt(args[0]);
    try (Cluster cluster = new Cluster(Path.of(args[1]), nodes, 64)) {
      cluster.start(IntStream.range(0, nodes).toArray());
      cluster.await(0, status -> status.isWell(nodes));
      System.out.println(nodes + " nodes are ready, in " + args[1]);
      System.out.println(
          "sifr-ycsb load -P workloada -p sifr.cluster='" + cluster.clientAddresses() + "'");
      while (System.in.read() >= 0) {
        // Until there is no more.
      }
    }
  }
}
