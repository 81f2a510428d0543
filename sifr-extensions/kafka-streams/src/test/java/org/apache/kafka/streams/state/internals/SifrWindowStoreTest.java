package org.apache.kafka.streams.state.internals;

import io.sifr.kafka.streams.SifrStores;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** Kafka's tests of window stores. */
class SifrWindowStoreTest extends AbstractWindowBytesStoreTest {
  private int stores;

  @Override
  <K, V> WindowStore<K, V> buildWindowStore(
      long retentionPeriod,
      long windowSize,
      boolean retainDuplicates,
      Serde<K> keySerde,
      Serde<V> valueSerde) {
    return Stores.windowStoreBuilder(
            SifrStores.windowStore(
                // Some tests have two in one directory at the same time.
                "windows-" + stores++,
                Duration.ofMillis(retentionPeriod),
                Duration.ofMillis(windowSize),
                retainDuplicates),
            keySerde,
            valueSerde)
        .build();
  }
}
