package io.sifr.importer.rocksdb;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;

/** The program {@code sifr-import-rocksdb}. */
public final class RocksDbImport {
  private RocksDbImport() {}

  /** Runs the program, and ends the process with its exit code. */
  public static void main(String[] args) {
    new RocksDbImportCommand(Console.ofProcess(), new Cleanup()).runProcess(args);
  }
}
