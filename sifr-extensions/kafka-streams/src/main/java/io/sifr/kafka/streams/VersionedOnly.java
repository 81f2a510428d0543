package io.sifr.kafka.streams;

import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.VersionedBytesStore;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a key-value store that a versioned store cannot answer: that it has them is only
 * because suppliers of key-value stores are what the DSL takes.
 */
abstract class VersionedOnly extends SifrStateStore implements VersionedBytesStore {
  VersionedOnly(String name, String form) {
    super(name, form);
  }

  /** A view of what is committed. */
  VersionedOnly(VersionedOnly viewed) {
    super(viewed);
  }

  @Override
  public final void put(Bytes key, byte @Nullable [] value) {
    throw unsupported("put without a time");
  }

  @Override
  public final byte[] putIfAbsent(Bytes key, byte @Nullable [] value) {
    throw unsupported("putIfAbsent");
  }

  @Override
  public final void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    throw unsupported("putAll");
  }

  @Override
  public final byte[] delete(Bytes key) {
    throw unsupported("delete without a time");
  }

  @Override
  public final KeyValueIterator<Bytes, byte[]> range(@Nullable Bytes from, @Nullable Bytes to) {
    throw unsupported("range");
  }

  @Override
  public final KeyValueIterator<Bytes, byte[]> all() {
    throw unsupported("all");
  }

  @Override
  public final long approximateNumEntries() {
    throw unsupported("approximateNumEntries");
  }

  private static UnsupportedOperationException unsupported(String call) {
    return new UnsupportedOperationException("A versioned store has no " + call);
  }
}
