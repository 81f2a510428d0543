package io.sifr.spring.boot;

import io.sifr.support.ModuleReadmeTest;
import org.junit.jupiter.api.Tag;

@Tag("host")
class ReadmeTest extends ModuleReadmeTest {
  ReadmeTest() {
    super("sifr-spring-boot-starter");
  }
}
