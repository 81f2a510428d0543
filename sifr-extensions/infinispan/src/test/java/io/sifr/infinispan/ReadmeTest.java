package io.sifr.infinispan;

import io.sifr.support.ModuleReadmeTest;

class ReadmeTest extends ModuleReadmeTest {
  ReadmeTest() {
    super("sifr-infinispan");
  }
}
