package io.sifr.kafka.streams;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.streams.DslStoreFormat;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.state.DslKeyValueParams;
import org.apache.kafka.streams.state.DslSessionParams;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.DslWindowParams;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/**
 * Makes all stores of a topology that name no other Sifr stores. The configuration {@code
 * dsl.store.suppliers.class} takes the name of this class. Settings of the stores are in the same
 * configuration: {@code sifr.} and the name of a setting, see {@link
 * io.sifr.config.StoreOptions#settings}; those of memory and threads are for all stores of the
 * process together.
 */
public final class SifrDslStoreSuppliers implements DslStoreSuppliers {
  /** Suppliers for the default settings, or those that the stores find when they are opened. */
  public SifrDslStoreSuppliers() {}

  /**
   * Checks the settings.
   *
   * @throws org.apache.kafka.common.config.ConfigException when there is no such setting, or a
   *     value is not allowed
   */
  @Override
  public void configure(Map<String, ?> configs) {
    Settings.of(configs);
  }

  @Override
  public KeyValueBytesStoreSupplier keyValueStore(DslKeyValueParams params) {
    return switch (params.dslStoreFormat()) {
      case HEADERS -> SifrStores.timestampedKeyValueStoreWithHeaders(params.name());
      case TIMESTAMPED -> SifrStores.timestampedKeyValueStore(params.name());
      case PLAIN -> SifrStores.keyValueStore(params.name());
    };
  }

  @Override
  public WindowBytesStoreSupplier windowStore(DslWindowParams params) {
    Suppliers.Window supplier = supplier(params);
    if (isEmittedOnClose(params.emitStrategy())) {
      supplier.emitOnClose();
    }
    return supplier;
  }

  private static Suppliers.Window supplier(DslWindowParams params) {
    // Joins of streams name no form.
    DslStoreFormat form =
        Objects.requireNonNullElse(params.dslStoreFormat(), DslStoreFormat.TIMESTAMPED);
    String name = params.name();
    Duration retention = params.retentionPeriod();
    Duration size = params.windowSize();
    boolean hasDuplicates = params.retainDuplicates();
    return switch (form) {
      case HEADERS -> Suppliers.windowWithHeaders(name, retention, size, hasDuplicates);
      case TIMESTAMPED -> Suppliers.timestampedWindow(name, retention, size, hasDuplicates);
      case PLAIN -> Suppliers.window(name, retention, size, hasDuplicates);
    };
  }

  @Override
  public SessionBytesStoreSupplier sessionStore(DslSessionParams params) {
    Suppliers.Session supplier =
        switch (params.storeFormat()) {
          case HEADERS -> Suppliers.sessionWithHeaders(params.name(), params.retentionPeriod());
          case TIMESTAMPED, PLAIN -> Suppliers.session(params.name(), params.retentionPeriod());
        };
    if (isEmittedOnClose(params.emitStrategy())) {
      supplier.emitOnClose();
    }
    return supplier;
  }

  private static boolean isEmittedOnClose(EmitStrategy strategy) {
    return strategy.type() == EmitStrategy.StrategyType.ON_WINDOW_CLOSE;
  }
}
