package io.sifr.infinispan;

import java.io.IOException;
import org.infinispan.commons.io.ByteBuffer;
import org.infinispan.commons.io.ByteBufferImpl;
import org.infinispan.commons.marshall.Marshaller;
import org.infinispan.persistence.spi.InitializationContext;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.MarshallableEntryFactory;
import org.infinispan.persistence.spi.MarshalledValue;
import org.infinispan.persistence.spi.PersistenceException;

/** Entries of a cache as bytes, written by Infinispan's own marshaller. Thread-safe. */
final class Marshalling<K, V> {
  private final Marshaller marshaller;
  private final MarshallableEntryFactory<K, V> factory;

  Marshalling(InitializationContext context) {
    this.marshaller = context.getPersistenceMarshaller();
    this.factory = context.getMarshallableEntryFactory();
  }

  byte[] key(Object key) {
    return bytes(key);
  }

  byte[] key(MarshallableEntry<?, ?> entry) {
    ByteBuffer bytes = entry.getKeyBytes();
    return bytes.copy().getBuf();
  }

  /** The value, with metadata and times. */
  byte[] value(MarshallableEntry<?, ?> entry) {
    return bytes(entry.getMarshalledValue());
  }

  MarshallableEntry<K, V> entry(byte[] key, byte[] value) {
    MarshalledValue marshalled = (MarshalledValue) object(value);
    return factory.create(
        ByteBufferImpl.create(key),
        marshalled.getValueBytes(),
        marshalled.getMetadataBytes(),
        marshalled.getInternalMetadataBytes(),
        marshalled.getCreated(),
        marshalled.getLastUsed());
  }

  @SuppressWarnings("unchecked") // the marshaller reads what it has written
  K keyOf(byte[] key) {
    return (K) object(key);
  }

  private byte[] bytes(Object object) {
    try {
      return marshaller.objectToByteBuffer(object);
    } catch (IOException e) {
      throw new PersistenceException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PersistenceException(e);
    }
  }

  private Object object(byte[] bytes) {
    try {
      return marshaller.objectFromByteBuffer(bytes);
    } catch (IOException | ClassNotFoundException e) {
      throw new PersistenceException(e);
    }
  }
}
