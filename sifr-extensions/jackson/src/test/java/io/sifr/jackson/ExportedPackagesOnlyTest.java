package io.sifr.jackson;

import io.sifr.support.ExportedPackagesOnly;

class ExportedPackagesOnlyTest extends ExportedPackagesOnly {
  ExportedPackagesOnlyTest() {
    super("io.sifr.jackson");
  }
}
