package io.sifr.web;

import io.sifr.support.ModuleReadmeTest;

class ReadmeTest extends ModuleReadmeTest {
  ReadmeTest() {
    super("sifr-web");
  }
}
