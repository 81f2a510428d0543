package io.sifr.kafka.streams;

import io.sifr.support.ModuleReadmeTest;

class ReadmeTest extends ModuleReadmeTest {
  ReadmeTest() {
    super("sifr-kafka-streams");
  }
}
