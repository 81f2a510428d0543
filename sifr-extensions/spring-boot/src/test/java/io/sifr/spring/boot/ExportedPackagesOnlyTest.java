package io.sifr.spring.boot;

import io.sifr.support.ExportedPackagesOnly;

class ExportedPackagesOnlyTest extends ExportedPackagesOnly {
  ExportedPackagesOnlyTest() {
    super("io.sifr.spring.boot");
  }
}
