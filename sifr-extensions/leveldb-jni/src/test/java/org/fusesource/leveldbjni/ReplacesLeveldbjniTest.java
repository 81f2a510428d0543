package org.fusesource.leveldbjni;

import io.sifr.support.ReplacedLibrary;
import java.nio.file.Path;

class ReplacesLeveldbjniTest extends ReplacedLibrary {
  ReplacesLeveldbjniTest() {
    super(
        Path.of("target", "original", "leveldbjni-all.jar"),
        "org.fusesource.leveldbjni",
        "org.iq80.leveldb");
  }
}
