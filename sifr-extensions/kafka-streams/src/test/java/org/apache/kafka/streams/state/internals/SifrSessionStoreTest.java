package org.apache.kafka.streams.state.internals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sifr.kafka.streams.SifrStores;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** Kafka's tests of session stores. */
class SifrSessionStoreTest extends AbstractSessionBytesStoreTest {
  private int stores;

  @Override
  <K, V> SessionStore<K, V> buildSessionStore(
      long retentionPeriod, Serde<K> keySerde, Serde<V> valueSerde) {
    return Stores.sessionStoreBuilder(
            // Some tests have two in one directory at the same time.
            SifrStores.sessionStore("sessions-" + stores++, Duration.ofMillis(retentionPeriod)),
            keySerde,
            valueSerde)
        .build();
  }

  /**
   * Kafka's test reads from a store that is closed, which here is an error, and restores into it.
   * This one restores into a new one.
   */
  @Test
  @Override
  public void shouldRestore() {
    Windowed<Bytes> session =
        new Windowed<>(Bytes.wrap(new byte[] {'a'}), new SessionWindow(10, 20));
    sessionStore.close();
    sessionStore = buildSessionStore(RETENTION_PERIOD, Serdes.String(), Serdes.Long());
    sessionStore.init(context, sessionStore);
    context.restore(
        sessionStore.name(),
        List.of(
            KeyValue.pair(
                SessionKeySchema.toBinary(session).get(), new LongSerializer().serialize("", 7L))));

    try (KeyValueIterator<Windowed<String>, Long> found = sessionStore.fetch("a")) {
      assertEquals(KeyValue.pair(new Windowed<>("a", new SessionWindow(10, 20)), 7L), found.next());
      assertFalse(found.hasNext());
    }
  }

  /** The kind of which the tests expect that sessions are found by time, and expire by segment. */
  @Override
  StoreType storeType() {
    return StoreType.RocksDBTimeOrderedSessionStoreWithIndex;
  }
}
