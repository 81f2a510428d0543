package io.sifr.jackson;

import io.sifr.support.ModuleReadmeTest;

class ReadmeTest extends ModuleReadmeTest {
  ReadmeTest() {
    super("sifr-jackson");
  }
}
