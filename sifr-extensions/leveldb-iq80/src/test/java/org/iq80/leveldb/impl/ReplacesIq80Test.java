package org.iq80.leveldb.impl;

import io.sifr.support.ReplacedLibrary;
import java.nio.file.Path;

class ReplacesIq80Test extends ReplacedLibrary {
  ReplacesIq80Test() {
    super(Path.of("target", "original", "leveldb.jar"), "org.iq80.leveldb");
  }
}
