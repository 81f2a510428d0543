package io.sifr.cli;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs command lines in this process, on streams of their own. */
final class Cli {
  private final byte[] input;
  private final TerminalTraits traits;

  Cli(byte[] input, TerminalTraits traits) {
    this.input = input;
    this.traits = traits;
  }

  /** A run without terminal and input. */
  static Result run(String... args) {
    return new Cli(new byte[0], TerminalTraits.NONE).execute(args);
  }

  /** A run on a store. */
  static Result run(Path store, String command, String... args) {
    return new Cli(new byte[0], TerminalTraits.NONE).execute(store, command, args);
  }

  Result execute(Path store, String command, String... args) {
    List<String> all = new ArrayList<>(List.of(command, "--db", store.toString()));
    all.addAll(Arrays.asList(args));
    return execute(all.toArray(String[]::new));
  }

  Result execute(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode = execute(out, err, args);
    return new Result(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  int execute(OutputStream out, OutputStream err, String... args) {
    Console console = new Console(new ByteArrayInputStream(input), out, err, traits);
    return new SifrCommand(new CliContext(console, new Cleanup())).execute(args);
  }

  /** What a run has left behind. */
  static final class Result {
    private final int exitCode;
    private final byte[] out;
    private final String err;

    Result(int exitCode, byte[] out, String err) {
      this.exitCode = exitCode;
      this.out = out;
      this.err = err;
    }

    int exitCode() {
      return exitCode;
    }

    byte[] bytes() {
      return out;
    }

    String out() {
      return new String(out, StandardCharsets.UTF_8);
    }

    String err() {
      return err;
    }

    /** Everything at once, so that a failed comparison shows it. */
    @Override
    public String toString() {
      return "exit " + exitCode + "\n" + out() + "---\n" + err;
    }
  }
}
