package io.sifr.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.process.MemoryLimit;
import io.sifr.bench.process.MemoryLimitException;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import io.sifr.bench.workload.Workload;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import io.sifr.config.Compression;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The command line, as its user and the processes it starts see it. */
class SifrBenchTest {
  @TempDir Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int execute(String... arguments) {
    return bench().execute(arguments);
  }

  private SifrBench bench() {
    return new SifrBench(console(), new Cleanup());
  }

  private Console console() {
    return new Console(new ByteArrayInputStream(new byte[0]), out, err, TerminalTraits.NONE);
  }

  private String errors() {
    return err.toString(UTF_8);
  }

  private List<String> lines() {
    return out.toString(UTF_8).lines().toList();
  }

  @Test
  void runWritesAnObjectALineWithAllThatWasPromised() throws IOException {
    int exitCode =
        execute(
            "run",
            "--store",
            "sifr",
            "--workload",
            "fillrandom,readrandom",
            "--entries",
            "2000",
            "--json",
            "--dir",
            directory.toString());
    assertThat(errors()).isEmpty();
    assertThat(exitCode).isZero();
    assertThat(lines()).hasSize(2);
    for (String line : lines()) {
      JsonNode result = JsonMapper.builder().build().readTree(line);
      assertThat(result.fieldNames())
          .toIterable()
          .contains(
              ("store workload shape entries operations threads opsPerSecond drainSeconds"
                      + " p50Micros p99Micros p999Micros maxMicros longestStallMillis userBytes"
                      + " bytesWritten bytesRead deviceReads writeAmplification writeAmplificationWithLog"
                      + " peakDiskBytes finalDiskBytes peakMemoryBytes cpuSeconds")
                  .split(" "));
      assertThat(result.get("samples")).isEmpty();
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void runWithinAMemoryLimitSaysTheSame() throws IOException {
    assumeThat(MemoryLimit.obstacle()).isEmpty();
    int exitCode =
        execute(
            "run",
            "--memory",
            "512MiB",
            "--store",
            "sifr",
            "--workload",
            "fillrandom",
            "--entries",
            "2000",
            "--json",
            "--samples",
            "--dir",
            directory.toString());
    assertThat(exitCode).isZero();
    assertThat(lines()).hasSize(1);
    JsonNode result = JsonMapper.builder().build().readTree(lines().get(0));
    assertThat(result.get("operations").asInt()).isEqualTo(2000);
    assertThat(result.get("samples")).isNotEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void runShowsPeopleATable() {
    execute(
        "run",
        "--store",
        "sifr",
        "--workload",
        "fillseq",
        "--entries",
        "100",
        "--dir",
        directory.toString());
    assertThat(lines()).hasSize(2);
    assertThat(lines().get(0)).contains("workload", "ops/s", "p99.9 µs", "peak disk");
    assertThat(lines().get(1)).startsWith("fillseq");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run --store nope --workload scan | there is no store named nope; allowed: sifr",
        "run --store sifr --workload nope | there is no workload named nope; allowed: fillseq",
        "run --store leveldb --workload scan --bloom on | leveldb cannot meet bloom",
        "run --store lmdb --workload scan --read-mode direct | lmdb cannot meet read-mode",
        "run --store lmdb --workload scan --search adaptive | lmdb cannot meet search",
        "run --store sifr --workload scan --bloom maybe | --bloom is maybe; allowed: on, off",
        "run --store sifr --workload scan --durability x | allowed: none, buffered, sync",
        "run --store lmdb --workload scan --set compactionThreads=2 | lmdb cannot meet set",
        "run --store sifr --workload scan --set compactionThreads=0 | compactionThreads is 0; allowed: 1 to 64",
        "run --store sifr --workload scan --set compactionThrads=2 | compactionThrads; did you mean compactionThreads?",
        "run --store sifr --workload scan --entries 0 | entries is 0; allowed: 1 to",
        "run --store sifr --workload scan --threads 0 | threads is 0; allowed: 1 to",
        "run --store sifr --workload scan --rate 0 | rate is 0.0; allowed: more than 0",
        "run --store sifr --workload scan --shape big | the shape is big; allowed: paper",
        "run --workload scan | Missing required option: '--store=NAME'",
        "compare --stores sifr --workload scan --rounds 0 | rounds is 0; allowed: 1 and more",
        "experiment nope | there is no experiment named nope; allowed: stores, growth-factor",
        "experiment write --scale tiny --minutes 0 | minutes is 0; allowed: 1 and more",
        "experiment all --scale huge | expected one of [TINY, SMALL, MODERATE, MEDIUM, LARGE]"
      })
  void aWrongCommandLineIsToldOfInOneLine(String arguments, String message) {
    assertThat(execute(arguments.split(" "))).isEqualTo(ExitCodes.USAGE);
    assertThat(errors()).startsWith("sifr-bench: ").contains(message);
    assertThat(errors().lines()).hasSize(1);
    assertThat(lines()).isEmpty();
  }

  @Test
  void aMemoryLimitThatCannotBeMadeIsAFailureOfTheMachine() {
    assertThat(bench().failed(new MemoryLimitException("no memory limit can be created here: why")))
        .isEqualTo(ExitCodes.FAILED);
    assertThat(errors()).isEqualTo("sifr-bench: no memory limit can be created here: why\n");
  }

  @Test
  void theCommandLineOfASpecMeansThatSpec() {
    RunSpec spec =
        new RunSpec(
            StoreKind.ROCKSDB,
            List.of(Workload.FILLSEQ, Workload.YCSB_E),
            Shape.of("40:7-90+half"),
            123,
            OptionalInt.of(456),
            7,
            OptionalDouble.of(8.5),
            OptionalInt.of(60),
            new Terms(
                Durability.SYNC,
                1 << 21,
                1 << 22,
                true,
                true,
                SearchScheme.PRIORITY_AWARE,
                9,
                OptionalInt.of(5),
                Compression.ZSTD,
                Map.of("compactionThreads", "4", "logSegmentBytes", "1MiB")),
            77,
            Optional.of(Path.of("kept", "fills")));
    List<String> arguments = spec.arguments();
    assertThat(arguments).startsWith("run");
    RunCommand command = new RunCommand(console(), new Cleanup(), () -> false);
    new CommandLine(command)
        .parseArgs(arguments.subList(1, arguments.size()).toArray(String[]::new));
    assertThat(command.spec()).isEqualTo(spec);
  }

  @Test
  void compareRunsEachStoreInAProcessOfItsOwnAndWritesAReport() throws IOException {
    Path report = directory.resolve("report.html");
    int exitCode =
        execute(
            "compare",
            "--stores",
            "sifr,leveldb",
            "--workload",
            "fillrandom,readrandom",
            "--entries",
            "1000",
            "--rounds",
            "1",
            "--json",
            "--dir",
            directory.toString(),
            "--report",
            report.toString());
    assertThat(exitCode).as(errors()).isZero();
    assertThat(lines()).hasSize(4);
    assertThat(errors()).contains("[1/2] round 1: sifr", "[2/2] round 1: leveldb");
    assertThat(Files.readString(report)).contains("Where sifr loses", "--stores sifr,leveldb");
    assertThat(Files.readString(directory.resolve("report.md"))).contains("readrandom");
  }

  @Test
  void compareLeavesOutAStoreThatCannotBeHeldToTheDurability() throws IOException {
    Path report = directory.resolve("report.html");
    int exitCode =
        execute(
            "compare",
            "--stores",
            "sifr,leveldb",
            "--workload",
            "fillrandom",
            "--durability",
            "none",
            "--entries",
            "1000",
            "--rounds",
            "1",
            "--dir",
            directory.toString(),
            "--report",
            report.toString());
    assertThat(exitCode).as(errors()).isZero();
    assertThat(Files.readString(report)).contains("leveldb cannot meet durability none");
  }
}
