package io.sifr.leveldb.importer;

import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** The program {@code sifr-import-leveldb}. */
public final class Main {
  private static final int OK = 0;
  private static final int USAGE = 2;
  private static final int UNUSABLE = 4;

  private static final long SHOWN_EVERY_NANOS = 500_000_000;

  private static final String HELP =
      """
      Usage: sifr-import-leveldb SOURCE TARGET
      Makes a Sifr store in the new directory TARGET of the LevelDB directory SOURCE, and compares
      all entries of both. SOURCE stays as it is, and must not be open elsewhere. It is copied first:
      beside TARGET there must be room for it.

      Exit codes:
        0     done
        2     the command line is wrong
        4     SOURCE cannot be read, or TARGET not be written; then there is no store\
      """;

  private final PrintStream out;
  private final PrintStream err;
  private final boolean isProgressShown;
  private long shownAt;

  Main(PrintStream out, PrintStream err, boolean isProgressShown) {
    this.out = out;
    this.err = err;
    this.isProgressShown = isProgressShown;
  }

  /** Runs the program, and ends the process with its exit code. */
  public static void main(String[] args) {
    String terminals = System.getenv().getOrDefault("SIFR_TTY", "");
    System.exit(new Main(System.out, System.err, terminals.contains("err")).run(List.of(args)));
  }

  int run(List<String> args) {
    if (args.contains("-h") || args.contains("--help")) {
      out.println(HELP);
      return OK;
    }
    if (args.size() != 2 || args.stream().anyMatch(arg -> arg.startsWith("-"))) {
      err.println("sifr-import-leveldb: SOURCE and TARGET are needed, and nothing else");
      err.println(HELP);
      return USAGE;
    }
    try {
      Path target = Path.of(args.get(1));
      long entries = new Import(Path.of(args.get(0)), target, this::show).run();
      clear();
      out.println(entries + " entries imported into " + target + " and compared");
      return OK;
    } catch (InvalidPathException | ImportException e) {
      clear();
      err.println("sifr-import-leveldb: " + e.getMessage());
      return UNUSABLE;
    }
  }

  private void show(long entries) {
    long now = System.nanoTime();
    if (isProgressShown && now - shownAt > SHOWN_EVERY_NANOS) {
      err.print("\r" + entries + " entries ");
      shownAt = now;
    }
  }

  private void clear() {
    if (isProgressShown) {
      err.print("\r\033[K");
    }
  }
}
