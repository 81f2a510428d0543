package io.sifr.ycsb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.marshall.IdentityMarshaller;
import org.jspecify.annotations.Nullable;

/**
 * Records in the caches of an Infinispan cluster, whose nodes may keep them in Sifr stores. A table
 * is a cache, which must exist; the cluster distributes records by the hash of their keys, so they
 * have no order.
 *
 * <p>The client speaks Hot Rod: it knows which node has a key, finds nodes that join, and tries
 * another one when a node is gone.
 */
final class ClusterRecords implements Records {
  private final RemoteCacheManager manager;
  private final ConcurrentHashMap<String, RemoteCache<byte[], byte[]>> tables =
      new ConcurrentHashMap<>();

  /**
   * Connects to a cluster.
   *
   * @param nodes some of its nodes, {@code host:port} each, separated by semicolons
   */
  ClusterRecords(String nodes) {
    manager =
        new RemoteCacheManager(
            new ConfigurationBuilder()
                .addServers(nodes)
                .marshaller(IdentityMarshaller.INSTANCE)
                .build());
  }

  @Override
  public byte @Nullable [] read(String table, String key) {
    return cache(table).get(key.getBytes(UTF_8));
  }

  @Override
  public void insert(String table, String key, byte[] record) {
    cache(table).put(key.getBytes(UTF_8), record);
  }

  @Override
  public boolean update(String table, String key, UnaryOperator<byte[]> change) {
    RemoteCache<byte[], byte[]> cache = cache(table);
    byte[] keyBytes = key.getBytes(UTF_8);
    while (true) {
      MetadataValue<byte[]> before = cache.getWithMetadata(keyBytes);
      if (before == null) {
        return false;
      }
      byte[] after = change.apply(before.getValue());
      if (cache.replaceWithVersion(keyBytes, after, before.getVersion())) {
        return true;
      }
    }
  }

  @Override
  public void delete(String table, String key) {
    cache(table).remove(key.getBytes(UTF_8));
  }

  @Override
  public void scan(String table, String from, int count, Consumer<byte[]> reader) {
    throw new UnsupportedOperationException("a cluster has no scans");
  }

  @Override
  public void close() {
    manager.close();
  }

  private RemoteCache<byte[], byte[]> cache(String table) {
    return tables.computeIfAbsent(table, this::existing);
  }

  private RemoteCache<byte[], byte[]> existing(String table) {
    RemoteCache<byte[], byte[]> cache = manager.getCache(table);
    if (cache == null) {
      throw new IllegalArgumentException("the cluster has no cache " + table);
    }
    return cache;
  }
}
