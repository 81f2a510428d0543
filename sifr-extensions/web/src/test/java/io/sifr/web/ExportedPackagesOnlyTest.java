package io.sifr.web;

import io.sifr.support.ExportedPackagesOnly;

class ExportedPackagesOnlyTest extends ExportedPackagesOnly {
  ExportedPackagesOnlyTest() {
    super("io.sifr.web");
  }
}
