package io.sifr.quarkus;

import io.sifr.support.ExportedPackagesOnly;

class ExportedPackagesOnlyTest extends ExportedPackagesOnly {
  ExportedPackagesOnlyTest() {
    super("io.sifr.quarkus");
  }
}
