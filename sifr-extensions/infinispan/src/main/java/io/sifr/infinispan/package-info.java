/**
 * A store of Infinispan's caches on Sifr: {@link io.sifr.infinispan.SifrStoreConfigurationBuilder}
 * adds it to a cache.
 */
@NullMarked
package io.sifr.infinispan;

import org.jspecify.annotations.NullMarked;
