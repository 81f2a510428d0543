package org.apache.kafka.streams.state.internals;

import io.sifr.kafka.streams.SifrStores;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Kafka's tests of key-value stores. */
class SifrKeyValueStoreTest extends AbstractKeyValueStoreTest {
  @Override
  @SuppressWarnings("unchecked") // As Kafka's own tests have it.
  protected <K, V> KeyValueStore<K, V> createKeyValueStore(StateStoreContext context) {
    KeyValueStore<K, V> store =
        Stores.keyValueStoreBuilder(
                SifrStores.keyValueStore("store"),
                (Serde<K>) context.keySerde(),
                (Serde<V>) context.valueSerde())
            .build();
    store.init(context, store);
    return store;
  }
}
