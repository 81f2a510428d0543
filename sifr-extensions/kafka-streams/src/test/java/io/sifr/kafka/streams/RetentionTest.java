package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Before its version 4.4 Kafka Streams does not ask how long a store keeps its entries. */
class RetentionTest {
  @Test
  void nothingStandsBeforeAStoreThatNobodyAsks() {
    Duration retention = Duration.ofSeconds(60);
    assertThat(SifrStores.windowStore("store", retention, retention, false).get())
        .isInstanceOf(SifrWindowStore.class);
    assertThat(SifrStores.sessionStore("store", retention).get())
        .isInstanceOf(SifrSessionStore.class);
  }
}
