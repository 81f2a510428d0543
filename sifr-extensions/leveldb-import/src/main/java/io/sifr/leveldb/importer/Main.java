package io.sifr.leveldb.importer;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;

/** The program {@code sifr-import-leveldb}. */
public final class Main {
  private Main() {}

  /** Runs the program, and ends the process with its exit code. */
  public static void main(String[] args) {
    Cleanup cleanup = new Cleanup();
    ImportCommand command = new ImportCommand(Console.ofProcess(), cleanup);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> cleanup.stop(command::report), "sifr-cleanup"));
    int exitCode;
    try {
      exitCode = command.execute(args);
    } catch (Error e) {
      exitCode = command.report(e);
    }
    cleanup.exit(exitCode);
  }
}
