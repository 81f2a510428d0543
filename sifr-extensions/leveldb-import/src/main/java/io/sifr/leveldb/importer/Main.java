package io.sifr.leveldb.importer;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;

/** The program {@code sifr-import-leveldb}. */
public final class Main {
  private Main() {}

  /** Runs the program, and ends the process with its exit code. */
  public static void main(String[] args) {
    new LevelDbImportCommand(Console.ofProcess(), new Cleanup()).runProcess(args);
  }
}
