package io.sifr.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.compare.MadeUp;
import io.sifr.bench.store.StoreKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private static RunResult run(String workload, long operations, double seconds) {
    return MadeUp.result(StoreKind.SIFR, workload, 1)
        .with(result -> result.operations(operations).seconds(seconds));
  }

  @Test
  void theShortestRunSaysHowMuchWouldBeEnough() {
    RunResult fill = run("fillrandom", 400_000, 2.5);
    RunResult read = run("readrandom", 400_000, 0.9);

    assertThat(WarmUp.warning(List.of(fill)))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("Short runs: fillrandom of sifr took 2.50 s. ")
                    .contains("compile")
                    .endsWith(" To have runs of 10 s, take at least --entries 2000000."));
    assertThat(WarmUp.warning(List.of(fill, read)).orElse(""))
        .startsWith("Short runs: readrandom of sifr took 0.90 s. ")
        .endsWith(", take at least --operations 5000000.");
  }

  @Test
  void longRunsNeedNoWord() {
    assertThat(WarmUp.warning(List.of(run("fillrandom", 1, 10), run("scan", 1, 60)))).isEmpty();
    assertThat(WarmUp.warning(List.of())).isEmpty();
    assertThat(WarmUp.warning(List.of(run("fillrandom", 7, 0))).orElse(""))
        .contains("--entries 70000");
  }
}
