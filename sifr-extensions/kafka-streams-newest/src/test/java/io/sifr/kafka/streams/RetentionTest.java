package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.DslStoreFormat;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.DslSessionParams;
import org.apache.kafka.streams.state.DslWindowParams;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.internals.WithRetentionPeriod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kafka Streams asks each window store and each session store how long it keeps its entries. */
class RetentionTest {
  private static final Duration RETENTION = Duration.ofSeconds(60);
  private static final Duration SIZE = Duration.ofSeconds(10);

  private static final WindowBytesStoreSupplier PLAIN =
      SifrStores.windowStore("store", RETENTION, SIZE, false);
  private static final WindowBytesStoreSupplier TIMESTAMPED =
      SifrStores.timestampedWindowStore("store", RETENTION, SIZE, false);
  private static final WindowBytesStoreSupplier HEADERS =
      SifrStores.timestampedWindowStoreWithHeaders("store", RETENTION, SIZE, false);

  private static long told(StateStore store) {
    return WithRetentionPeriod.resolveRetentionPeriod(store);
  }

  @Test
  void eachKindOfStoreSaysItThroughAllLayers() {
    var strings = Serdes.String();
    assertThat(
            told(
                Stores.windowStoreBuilder(PLAIN, strings, strings)
                    .withCachingEnabled()
                    .withLoggingEnabled(Map.of())
                    .build()))
        .isEqualTo(RETENTION.toMillis());
    assertThat(told(Stores.timestampedWindowStoreBuilder(PLAIN, strings, strings).build()))
        .isEqualTo(RETENTION.toMillis());
    assertThat(told(Stores.timestampedWindowStoreBuilder(TIMESTAMPED, strings, strings).build()))
        .isEqualTo(RETENTION.toMillis());
    assertThat(
            told(
                Stores.timestampedWindowStoreWithHeadersBuilder(HEADERS, strings, strings).build()))
        .isEqualTo(RETENTION.toMillis());
    assertThat(
            told(
                Stores.sessionStoreBuilder(
                        SifrStores.sessionStore("store", RETENTION), strings, strings)
                    .build()))
        .isEqualTo(RETENTION.toMillis());
    assertThat(
            told(
                Stores.sessionStoreWithHeadersBuilder(
                        SifrStores.sessionStoreWithHeaders("store", RETENTION), strings, strings)
                    .build()))
        .isEqualTo(RETENTION.toMillis());
  }

  /** Else a restore would leave out those that were not emitted before. */
  @ParameterizedTest
  @EnumSource(DslStoreFormat.class)
  void windowsThatAreEmittedOnCloseAreRestoredFromAllOfTheChangelog(DslStoreFormat format) {
    SifrDslStoreSuppliers suppliers = new SifrDslStoreSuppliers();
    for (EmitStrategy strategy :
        List.of(EmitStrategy.onWindowUpdate(), EmitStrategy.onWindowClose())) {
      long expected =
          strategy.type() == EmitStrategy.StrategyType.ON_WINDOW_CLOSE ? -1 : RETENTION.toMillis();
      WindowBytesStoreSupplier windows =
          suppliers.windowStore(
              new DslWindowParams("store", RETENTION, SIZE, false, strategy, false, format));
      SessionBytesStoreSupplier sessions =
          suppliers.sessionStore(new DslSessionParams("store", RETENTION, strategy, format));
      assertThat(told(windows.get())).isEqualTo(expected);
      assertThat(told(sessions.get())).isEqualTo(expected);
    }
  }

  @Test
  void theStoreIsWhatItWasOtherwise() {
    WindowStore<Bytes, byte[]> plain = PLAIN.get();
    WindowStore<Bytes, byte[]> timestamped = TIMESTAMPED.get();
    WindowStore<Bytes, byte[]> headers = HEADERS.get();
    assertThat(plain).isNotInstanceOf(TimestampedBytesStore.class);
    assertThat(timestamped)
        .isInstanceOf(TimestampedBytesStore.class)
        .isNotInstanceOf(HeadersBytesStore.class);
    assertThat(headers)
        .isInstanceOf(TimestampedBytesStore.class)
        .isInstanceOf(HeadersBytesStore.class);
    assertThat(plain.name()).isEqualTo("store");
    assertThat(plain.persistent()).isTrue();
    assertThat(plain.isOpen()).isFalse();
    assertThat(List.of(plain).contains(plain)).isTrue();
    assertThat(plain).isNotEqualTo(PLAIN.get());
    assertThatThrownBy(() -> plain.put(Bytes.wrap(new byte[1]), new byte[1], 0))
        .isInstanceOf(InvalidStateStoreException.class)
        .hasMessage("Store store is currently closed");
  }
}
