package io.sifr.leveldb;

import io.sifr.support.ModuleReadmeTest;

class ReadmeTest extends ModuleReadmeTest {
  ReadmeTest() {
    super("sifr-leveldb");
  }
}
