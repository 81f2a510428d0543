package io.sifr.infinispan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.Objects;
import java.util.stream.IntStream;
import org.infinispan.Cache;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.distribution.ch.ConsistentHash;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.server.hotrod.HotRodServer;
import org.infinispan.server.hotrod.configuration.HotRodServerConfigurationBuilder;

/**
 * A node of a cluster, in a JVM of its own: a distributed cache with two owners for each entry, on
 * a Sifr store, and a Hot Rod server for clients. It reads commands, and answers each with a line.
 */
final class ClusterNode {
  static final String CACHE = "usertable";

  private static final int COPIES = 2; // node.xml says so, too

  private ClusterNode() {}

  /**
   * Runs a node until it is told to stop, or its standard input ends. The system properties {@code
   * node.*} configure it; see {@code node.xml}.
   *
   * @param args the port of the Hot Rod server
   */
  public static void main(String[] args) throws Exception {
    try (InputStream configuration =
            Objects.requireNonNull(ClusterNode.class.getResourceAsStream("node.xml"));
        DefaultCacheManager manager = new DefaultCacheManager(configuration)) {
      Cache<byte[], byte[]> cache = manager.getCache(CACHE);
      HotRodServer server = new HotRodServer();
      server.start(
          new HotRodServerConfigurationBuilder()
              .host("127.0.0.1")
              .port(Integer.parseInt(args[0]))
              .build(),
          manager);
      server.postStart();
      answer("ready");
      BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String command = commands.readLine(); command != null; command = commands.readLine()) {
        switch (command) {
          case "status" -> answer(status(cache));
          case "shut down" -> {
            // All nodes keep what they have, and expect each other when they are started again.
            cache.shutdown();
            answer("shut down");
          }
          case "await shutdown" -> {
            // Another node has asked for it, and does not wait for all.
            while (!cache.getStatus().isTerminated()) {
              Thread.sleep(20);
            }
            answer("shut down");
          }
          default -> throw new IllegalArgumentException(command);
        }
      }
      server.stop();
    }
  }

  private static String status(Cache<byte[], byte[]> cache) {
    LocalizedCacheTopology topology =
        cache.getAdvancedCache().getDistributionManager().getCacheTopology();
    return topology.getMembers().size()
        + " nodes, "
        + (isWhole(topology) ? "whole" : "moving")
        + ", "
        + cache.getAdvancedCache().getStats().getStores()
        + " writes";
  }

  /** Whether no entries are being moved, and each is on as many nodes as it is to be. */
  private static boolean isWhole(LocalizedCacheTopology topology) {
    ConsistentHash owners = topology.getCurrentCH();
    int copies = Math.min(COPIES, owners.getMembers().size());
    return topology.getPendingCH() == null
        && owners.getMembers().equals(topology.getMembers())
        && IntStream.range(0, owners.getNumSegments())
            .allMatch(segment -> owners.locateOwnersForSegment(segment).size() == copies);
  }

  private static void answer(String line) {
    System.out.println("node: " + line);
    System.out.flush();
  }
}
