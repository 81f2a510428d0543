package io.sifr.s3;

import io.sifr.support.ExportedPackagesOnly;

class ExportedPackagesOnlyTest extends ExportedPackagesOnly {
  ExportedPackagesOnlyTest() {
    super("io.sifr.s3");
  }
}
