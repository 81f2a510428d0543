package io.sifr.infinispan;

import org.testng.annotations.Test;

/** The same with all entries in one segment. */
@Test(groups = "unit", testName = "io.sifr.infinispan.NonSegmentedSifrStoreTest")
public class NonSegmentedSifrStoreTest extends SifrStoreTest {
  @Override
  boolean isSegmented() {
    return false;
  }
}
