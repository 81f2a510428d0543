package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.cli.terminal.TerminalTraits;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class InterruptedLoadTest {
  private static final Pattern TOLD =
      Pattern.compile(
          "sifr: stopped; in the store and durable: ([0-9,]+) entries;"
              + " the same command with --skip ([0-9]+) goes on\n");

  /** More than what pipes and buffers between the processes take. */
  private static final long ENOUGH_BYTES = 4 << 20;

  @TempDir private Path temporary;
  private Path store = Path.of("");

  @BeforeEach
  void nameStore() {
    store = temporary.resolve("store");
  }

  private static String line(long n) {
    // Every tenth has no value, and is no entry.
    return n % 10 == 9 ? "bad\n" : "key%09d\tvalue of %d\n".formatted(n, n);
  }

  private static long entries(long lines) {
    return lines - lines / 10;
  }

  /** Loads without end until the process is stopped; returns its exit code. */
  private int loadAndStop(String signal, Path err, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    // The build may run where interrupts are ignored, and children inherit that.
    command.addAll(List.of("env", "--default-signal=" + signal));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(SifrCommand.class.getName());
    command.addAll(List.of("load", "--db", store.toString(), "--on-error", "skip"));
    command.addAll(List.of(options));
    Process load =
        new ProcessBuilder(command)
            .redirectError(err.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (OutputStream in = new BufferedOutputStream(load.getOutputStream())) {
      long written = 0;
      for (long n = 0; written < ENOUGH_BYTES; n++) {
        byte[] bytes = line(n).getBytes(UTF_8);
        in.write(bytes);
        written += bytes.length;
      }
      in.flush();
      // It waits for more; its input does not end before it does.
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(load.pid())).start();
      assertThat(kill.waitFor()).isZero();
      assertThat(load.waitFor(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      load.destroyForcibly();
    }
    return load.exitValue();
  }

  @Tag("process")
  @EnabledOnOs(OS.LINUX)
  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void saysWhatIsInTheStoreAndHowToGoOn(String signal, int exitCode) throws Exception {
    Path err = temporary.resolve("err");

    assertThat(loadAndStop(signal, err)).isEqualTo(exitCode);

    String told = Files.readString(err);
    Matcher matcher = TOLD.matcher(told);
    assertThat(matcher.matches()).as(told).isTrue();
    long entries = Long.parseLong(matcher.group(1).replace(",", ""));
    long lines = Long.parseLong(matcher.group(2));
    assertThat(entries).isPositive();
    // All that went before the place to go on from is there, and nothing after it.
    assertThat(entries(lines)).isEqualTo(entries);
    assertThat(Cli.run(store, "count").out()).isEqualTo(entries + "\n");
    assertThat(Cli.run(store, "check").exitCode()).isZero();

    StringBuilder all = new StringBuilder();
    for (long n = 0; n < lines + 1000; n++) {
      all.append(line(n));
    }
    Cli.Result rest =
        new Cli(all.toString().getBytes(UTF_8), TerminalTraits.NONE)
            .execute(store, "load", "--on-error", "skip", "--skip", Long.toString(lines), "--json");
    assertThat(rest.exitCode()).isZero();
    assertThat(rest.out()).contains("\"loadedEntries\":900,", "\"skippedLines\":100,");
    assertThat(Cli.run(store, "count").out()).isEqualTo(entries + 900 + "\n");
  }

  @Tag("process")
  @EnabledOnOs(OS.LINUX)
  @Test
  void aBulkLoadAddsNothing() throws Exception {
    Path err = temporary.resolve("err");

    assertThat(loadAndStop("INT", err, "--bulk")).isEqualTo(ExitCodes.STOPPED);

    assertThat(err)
        .hasContent(
            "sifr: stopped; no entry is in the store, as --bulk adds all of them at its end;"
                + " the same command begins anew");
    assertThat(Cli.run(store, "count").out()).isEqualTo("0\n");
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void whatItSaysIsTrueAlsoAtTheEnd(Durability durability) {
    StoreOptions options = StoreOptions.builder().durability(durability).build();
    try (Store open = Store.open(store, options);
        InterruptibleSink part =
            new InterruptibleSink(EntrySink.ofBatches(open, open.database()), false);
        InterruptibleSink whole =
            new InterruptibleSink(EntrySink.ofBatches(open, open.database()), false)) {
      part.put(new byte[] {1}, new byte[0]);
      part.pass();
      part.put(new byte[] {2}, new byte[0]);

      assertThat(part.stop(open)).isEqualTo("stopped; in the store and durable: 2 entries");
      assertThat(part.rows()).isEqualTo(3);
      assertThat(part.isDone()).isFalse();
      assertThat(open.database().get(new byte[] {2})).isNotNull();
      assertThatThrownBy(() -> part.put(new byte[] {3}, new byte[0]))
          .isInstanceOf(CancellationException.class);
      assertThat(open.database().get(new byte[] {3})).isNull();

      whole.put(new byte[] {4}, new byte[0]);
      whole.finish();
      assertThat(whole.stop(open))
          .isEqualTo(
              "stopped; in the store and durable: 1 entry, which is all; compactions go on when it is"
                  + " opened");
      assertThat(whole.isDone()).isTrue();
    }
  }

  @Test
  void rowsThatArePassedOverCountAsTheInputHasThem() throws IOException {
    Path csv =
        Files.writeString(
            temporary.resolve("table.csv"), "name,price\na,\"1\n1\"\nb,2\nbad\nc,3\n");

    Cli.Result load =
        Cli.run(store, "load", "--header", "--skip", "3", "--on-error", "skip", csv.toString());

    assertThat(load.exitCode()).isZero();
    assertThat(load.err()).isEmpty();
    assertThat(Cli.run(store, "scan").out()).isEqualTo("c\t3\n");
    assertThat(Cli.run(store, "load", "--skip", "9", csv.toString()).out())
        .startsWith("loaded 0 entries");
    assertThat(Cli.run(store, "load", "--skip", "-1", csv.toString()).err())
        .isEqualTo("sifr: --skip is -1; allowed: 0 and more\n");
    assertThat(Cli.run(store, "load", "--skip", "1", "--generate", "random").exitCode())
        .isEqualTo(ExitCodes.USAGE);
  }
}
