package io.sifr.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.measure.Sample;
import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import io.sifr.config.SearchScheme;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreRunTest {
  /** Reads longer than anybody waits. */
  private static final RunSpec ENDLESS =
      Specs.of(StoreKind.SIFR, List.of(Workload.READRANDOM), 100, RunSpec.MAX_ENTRIES, 2);

  @TempDir Path directory;

  private List<RunResult> run(RunSpec spec) {
    List<RunResult> results = new ArrayList<>();
    new StoreRun(spec, directory.resolve("store"), Specs.SILENT).run(results::add);
    return results;
  }

  @Test
  void givesAResultForEachWorkloadAndLeavesNothingBehind() {
    List<RunResult> results =
        run(
            Specs.of(
                StoreKind.SIFR,
                List.of(Workload.FILLSEQ, Workload.READRANDOM, Workload.SCAN),
                3000,
                500,
                2));
    assertThat(results)
        .extracting(RunResult::workload)
        .containsExactly("fillseq", "readrandom", "scan");
    assertThat(results).extracting(RunResult::operations).containsExactly(3000L, 500L, 500L);
    RunResult fill = results.get(0);
    assertThat(fill.userBytes()).isBetween(3000L * 100, 3000L * 150);
    assertThat(fill.writeAmplification()).isBetween(0.5, 4.0);
    assertThat(fill.peakDiskBytes()).isGreaterThanOrEqualTo(fill.finalDiskBytes());
    assertThat(fill.finalDiskBytes()).isGreaterThan(fill.userBytes() / 2);
    assertThat(fill.latencies().maxMicros()).isGreaterThanOrEqualTo(fill.latencies().p9999Micros());
    assertThat(fill.opsPerSecond()).isEqualTo(3000 / fill.seconds());
    assertThat(fill.sortedRuns()).isPositive();
    assertThat(fill.fileSizes().stream().mapToLong(Long::longValue).sum())
        .as("tables without logs and manifests")
        .isBetween(fill.userBytes() / 2, fill.finalDiskBytes() - 1);
    assertThat(results.get(1).userBytes()).isZero();
    assertThat(results.get(1).writeAmplification()).isNull();
    assertThat(directory.resolve("store")).doesNotExist();
  }

  @Test
  void fillsFirstWhatANeedyWorkloadFindsEmpty() {
    List<RunResult> results =
        run(Specs.of(StoreKind.SIFR, List.of(Workload.READRANDOM), 100, 10, 1));
    assertThat(results).extracting(RunResult::workload).containsExactly("fillrandom", "readrandom");
  }

  @Test
  void aFillThatWasKeptIsCopied() throws IOException {
    RunSpec filled =
        Specs.of(StoreKind.SIFR, List.of(Workload.READRANDOM, Workload.YCSB_D), 3000, 1000, 2)
            .withKeptFills(Optional.of(directory.resolve("fills")));
    assertThat(run(filled))
        .extracting(RunResult::workload)
        .containsExactly("fillrandom", "readrandom", "ycsb-d");
    RunSpec copied =
        filled.withTerms(
            filled.terms().withDirectReads(1 << 16).withSearch(SearchScheme.ADAPTIVE, 4));
    assertThat(run(copied))
        .as("each answer is checked, those of what the run before inserted too")
        .extracting(RunResult::workload)
        .containsExactly("readrandom", "ycsb-d");
    assertThat(run(filled.withTerms(filled.terms().withBloom(true))))
        .as("other files")
        .extracting(RunResult::workload)
        .containsExactly("fillrandom", "readrandom", "ycsb-d");
    try (Stream<Path> kept = Files.list(directory.resolve("fills"))) {
      assertThat(kept).hasSize(2);
    }
  }

  @Test
  void aFillWhoseTimeWasUpIsNotKept() {
    RunSpec spec =
        Specs.withTimeLimit(
                Specs.of(StoreKind.SIFR, List.of(Workload.FILLRANDOM), 100_000_000, 1, 1), 1)
            .withKeptFills(Optional.of(directory.resolve("fills")));
    assertThat(run(spec)).hasSize(1);
    assertThat(directory.resolve("fills")).doesNotExist();
  }

  @Test
  void operationsAtARateHaveCorrectedLatenciesToo() {
    RunSpec spec =
        Specs.of(
            StoreKind.SIFR, List.of(Workload.READRANDOM), 100, 300, 3, OptionalDouble.of(3000));
    List<RunResult> results = run(spec);
    assertThat(results.get(0).correctedLatencies()).isNull();
    assertThat(results.get(0).rate()).isNull();
    RunResult read = results.get(1);
    assertThat(read.rate()).isEqualTo(3000);
    // The last operation is due a tenth of a second after the first.
    assertThat(read.seconds()).isGreaterThan(0.099);
    assertThat(read.correctedLatencies()).isNotNull();
    assertThat(read.correctedLatencies().maxMicros())
        .isGreaterThanOrEqualTo(read.latencies().maxMicros());
  }

  @Test
  void aTimeLimitEndsAWorkloadAndTheNextFindsWhatThereIs() {
    RunSpec base =
        Specs.of(
            StoreKind.SIFR,
            List.of(Workload.FILLRANDOM, Workload.READRANDOM, Workload.SCAN),
            3_000_000,
            100,
            1);
    List<RunResult> results = run(Specs.withTimeLimit(base, 1));
    RunResult fill = results.get(0);
    assertThat(fill.operationsAsked()).isEqualTo(3_000_000);
    assertThat(fill.operations()).isPositive();
    assertThat(fill.latencies().maxMicros()).isPositive();
    if (fill.operations() < fill.operationsAsked()) {
      assertThat(fill.seconds()).isGreaterThanOrEqualTo(1);
    }
    assertThat(results.get(1).operations()).isEqualTo(100);
  }

  @Test
  void theClientBesideTheOthersIsCountedByItself() {
    List<RunResult> results =
        run(Specs.of(StoreKind.SIFR, List.of(Workload.READWHILEWRITING), 1000, 20_000, 1));
    RunResult read = results.get(1);
    assertThat(read.operations()).isEqualTo(20_000);
    assertThat(read.operationsBeside()).isPositive();
    assertThat(read.userBytes()).isPositive();
  }

  @Test
  void theFirstFailureOfAStoreEndsTheRunAndClosesTheStore() {
    RunSpec spec = Specs.of(StoreKind.SIFR, List.of(Workload.READRANDOM), 1000, 1000, 2);
    List<String> closed = new ArrayList<>();
    StoreRun run =
        new StoreRun(
            spec,
            path -> {
              BenchStore right = StoreKind.SIFR.open(path, spec.terms(), spec.expectedBytes());
              return (BenchStore)
                  Proxy.newProxyInstance(
                      getClass().getClassLoader(),
                      new Class<?>[] {BenchStore.class},
                      (proxy, method, arguments) -> {
                        if (method.getName().equals("get")) {
                          throw new IllegalStateException("planted");
                        } else if (method.getName().equals("close")) {
                          closed.add("closed");
                        }
                        return method.invoke(right, arguments);
                      });
            },
            directory.resolve("store"),
            Specs.SILENT);
    assertThatThrownBy(() -> run.run(result -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("planted");
    assertThat(closed).containsExactly("closed");
    assertThat(Files.exists(directory.resolve("store"))).isFalse();
  }

  @Test
  void aWorkloadThatIsRunAgainAsksForOtherKeys() {
    RunSpec spec =
        Specs.of(
            StoreKind.SIFR,
            List.of(Workload.READRANDOM, Workload.READRANDOM, Workload.READMISSING),
            1000,
            20,
            1);
    List<String> keys = new ArrayList<>();
    runWith(spec, "get", arguments -> keys.add(HexFormat.of().formatHex((byte[]) arguments[0])))
        .run(result -> {});
    assertThat(keys).hasSize(60);
    assertThat(keys.subList(20, 40)).isNotEqualTo(keys.subList(0, 20));
  }

  /** A run of a store after whose calls of one kind something more is done. */
  private StoreRun runWith(RunSpec spec, String call, List<Runnable> done) {
    return runWith(spec, call, arguments -> done.forEach(Runnable::run));
  }

  /** The same, given the arguments of the call. */
  private StoreRun runWith(RunSpec spec, String call, Consumer<Object[]> done) {
    return new StoreRun(
        spec,
        path -> {
          BenchStore right = StoreKind.SIFR.open(path, spec.terms(), spec.expectedBytes());
          return (BenchStore)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {BenchStore.class},
                  (proxy, method, arguments) -> {
                    Object answer = method.invoke(right, arguments);
                    if (method.getName().equals(call)) {
                      done.accept(arguments);
                    }
                    return answer;
                  });
        },
        directory.resolve("store"),
        Specs.SILENT);
  }

  @Test
  void aRunThatIsStoppedBreaksOffAndClosesTheStore() {
    List<Runnable> atGet = new ArrayList<>();
    StoreRun run = runWith(ENDLESS, "get", atGet);
    atGet.add(run::stop);
    List<RunResult> results = new ArrayList<>();
    assertThatThrownBy(() -> run.run(results::add)).isInstanceOf(CancellationException.class);
    assertThat(results).extracting(RunResult::workload).containsExactly("fillrandom");
    assertThat(directory.resolve("store")).doesNotExist();
  }

  @Test
  void aRunThatIsStoppedBetweenTwoWorkloadsDoesNotBeginTheNext() {
    List<String> read = new ArrayList<>();
    StoreRun run = runWith(ENDLESS, "get", List.of(() -> read.add("read")));
    assertThatThrownBy(() -> run.run(result -> run.stop()))
        .isInstanceOf(CancellationException.class);
    assertThat(read).isEmpty();
    assertThat(directory.resolve("store")).doesNotExist();
  }

  @Test
  void aStoreThatCannotBeClosedLeavesNoFilesEither() {
    StoreRun run =
        runWith(
            Specs.of(StoreKind.SIFR, List.of(Workload.FILLSEQ), 100, 100, 1),
            "close",
            List.of(
                () -> {
                  throw new IllegalStateException("planted");
                }));
    assertThatThrownBy(() -> run.run(result -> {})).hasMessage("planted");
    assertThat(directory.resolve("store")).doesNotExist();
  }

  @Test
  void aResultSurvivesJson() {
    for (RunResult result : run(Specs.of(StoreKind.SIFR, List.of(Workload.YCSB_A), 500, 500, 1))) {
      assertThat(ResultJson.read(ResultJson.write(result))).isEqualTo(result);
      assertThat(ResultJson.write(result.withoutSamples())).doesNotContain("\"seconds\":0.0,\"op");
    }
    assertThatThrownBy(() -> ResultJson.read("{\"store\":"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a result");
  }

  @Test
  void operationsOfEachSecondComeFromTheSamplesNearest() {
    List<Sample> samples =
        List.of(
            new Sample(0, 0, 0, 0, 0),
            new Sample(0.5, 40, 0, 0, 0),
            new Sample(1.0, 100, 0, 0, 0),
            new Sample(1.9, 250, 0, 0, 0),
            new Sample(2.5, 400, 0, 0, 0),
            new Sample(3.1, 500, 0, 0, 0),
            new Sample(9, 500, 0, 0, 0));
    assertThat(Evaluation.opsEachSecond(samples, 3.2)).containsExactly(100L, 200L, 167L);
  }
}
