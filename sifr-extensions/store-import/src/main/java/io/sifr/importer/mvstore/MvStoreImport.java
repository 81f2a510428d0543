package io.sifr.importer.mvstore;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;

/** The program {@code sifr-import-mvstore}. */
public final class MvStoreImport {
  private MvStoreImport() {}

  /** Runs the program, and ends the process with its exit code. */
  public static void main(String[] args) {
    new MvStoreImportCommand(Console.ofProcess(), new Cleanup()).runProcess(args);
  }
}
