package io.sifr.infinispan;

import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.persistence.BaseStoreFunctionalTest;
import org.testng.annotations.Test;

/** Infinispan's tests of a cache with a store. */
@Test(groups = "unit", testName = "io.sifr.infinispan.SifrStoreFunctionalTest")
public class SifrStoreFunctionalTest extends BaseStoreFunctionalTest {
  @Override
  protected PersistenceConfigurationBuilder createCacheStoreConfig(
      PersistenceConfigurationBuilder persistence, String cacheName, boolean preload) {
    persistence.addStore(SifrStoreConfigurationBuilder.class).preload(preload);
    return persistence;
  }
}
