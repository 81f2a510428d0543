package io.sifr.spring.boot;

import io.sifr.Store;

/**
 * A bean that changes how the store is opened: for what no property can say, such as a listener, a
 * merge operator, or the keys of an encrypted store. All beans of this type are called, in the
 * order of {@code @Order}, after the properties have been applied.
 */
@FunctionalInterface
public interface StoreCustomizer {
  /** Changes the builder of the store that is about to be opened. */
  void customize(Store.Builder builder);
}
