package io.sifr.infinispan;

import java.nio.file.Path;
import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.persistence.MultiStoresFunctionalTest;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Infinispan's tests of a cache with several stores. */
@Test(groups = "unit", testName = "io.sifr.infinispan.SifrMultiStoresFunctionalTest")
public class SifrMultiStoresFunctionalTest
    extends MultiStoresFunctionalTest<SifrStoreConfigurationBuilder> {
  private final String location = CommonsTestingUtil.tmpDirectory(getClass());

  @BeforeMethod
  protected void deleteFiles() {
    Util.recursiveFileRemove(location);
  }

  @Override
  protected SifrStoreConfigurationBuilder buildCacheStoreConfig(
      PersistenceConfigurationBuilder builder, String discriminator) {
    return builder
        .addStore(SifrStoreConfigurationBuilder.class)
        .location(Path.of(location, discriminator).toString());
  }
}
