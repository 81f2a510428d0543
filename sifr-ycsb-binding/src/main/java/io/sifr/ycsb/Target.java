package io.sifr.ycsb;

import java.util.Properties;

/** The target of a run of YCSB, by its {@code sifr.*} properties. Immutable. */
sealed interface Target permits StoreProperties, Target.Cluster {
  /** The prefix of all properties. */
  String PREFIX = "sifr.";

  /** The property that names nodes of a cluster. */
  String CLUSTER = PREFIX + "cluster";

  /**
   * A cluster of Infinispan.
   *
   * @param nodes some of its nodes, {@code host:port} each, separated by semicolons
   */
  record Cluster(String nodes) implements Target {
    @Override
    public Records open() {
      return new ClusterRecords(nodes);
    }

    @Override
    public String toString() {
      return CLUSTER + "=" + nodes;
    }
  }

  /**
   * Reads and checks the properties; those of others are left alone. A cluster wins over the
   * directory of a store, which the start script always gives.
   *
   * @throws IllegalArgumentException when a property is unknown or its value not allowed
   */
  static Target of(Properties properties) {
    String nodes = properties.getProperty(CLUSTER);
    if (nodes == null) {
      return StoreProperties.of(properties);
    }
    if (nodes.isBlank()) {
      throw new IllegalArgumentException(
          CLUSTER + " names no node; say where there is one: " + CLUSTER + "=HOST:PORT");
    }
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith(PREFIX)
          && !name.equals(CLUSTER)
          && !name.equals(StoreProperties.DIRECTORY)) {
        throw new IllegalArgumentException(
            "property "
                + name
                + " is one of a store, and "
                + CLUSTER
                + " is set; the nodes of a"
                + " cluster have settings of their own");
      }
    }
    return new Cluster(nodes.strip());
  }

  /** Opens the store, or connects to the cluster. */
  Records open();
}
