package io.sifr.infinispan;

import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.persistence.ParallelIterationTest;
import org.testng.annotations.Test;

/** Infinispan's tests of iterations that run in parallel. */
@Test(
    groups = {"functional", "smoke"},
    testName = "io.sifr.infinispan.SifrParallelIterationTest")
public class SifrParallelIterationTest extends ParallelIterationTest {
  private final String location = CommonsTestingUtil.tmpDirectory(getClass());

  @Override
  protected void configurePersistence(ConfigurationBuilder builder) {
    builder.persistence().addStore(SifrStoreConfigurationBuilder.class).location(location);
  }

  @Override
  protected void teardown() {
    super.teardown();
    Util.recursiveFileRemove(location);
  }
}
