/**
 * State stores of Kafka Streams on Sifr: key-value stores (plain, with time stamps, with headers,
 * versioned), window stores and session stores.
 *
 * <p>{@link io.sifr.kafka.streams.SifrDslStoreSuppliers} is what {@code dsl.store.suppliers.class}
 * takes; {@link io.sifr.kafka.streams.SifrStores} has suppliers for single stores.
 */
@NullMarked
package io.sifr.kafka.streams;

import org.jspecify.annotations.NullMarked;
