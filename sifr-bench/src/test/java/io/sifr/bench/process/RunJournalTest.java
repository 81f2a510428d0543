package io.sifr.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.compare.MadeUp;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.Specs;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunJournalTest {
  private static final RunSpec FILL =
      Specs.of(StoreKind.SIFR, List.of(Workload.FILLRANDOM), 1000, 100, 1);
  private static final RunSpec READ =
      Specs.of(StoreKind.SIFR, List.of(Workload.FILLRANDOM, Workload.READRANDOM), 1000, 100, 1);

  @TempDir Path directory;

  /** The rates of the runs that were really done; each is faster than the one before. */
  private final List<Double> done = new ArrayList<>();

  private RunJournal open() throws IOException {
    return RunJournal.open(directory.resolve("runs"), "a1b2c3", (spec, memory) -> run(spec));
  }

  private List<RunResult> run(RunSpec spec) {
    done.add(100.0 + done.size());
    return spec.workloads().stream()
        .map(workload -> MadeUp.result(spec.store(), workload.label(), done.get(done.size() - 1)))
        .toList();
  }

  private static double rate(RunJournal journal, RunSpec spec, OptionalLong memory) {
    List<RunResult> results = journal.run(spec, memory);
    assertThat(results).hasSize(spec.workloads().size());
    return results.get(0).opsPerSecond();
  }

  private static double rate(RunJournal journal, RunSpec spec) {
    return rate(journal, spec, OptionalLong.empty());
  }

  @Test
  void aCommandThatIsGivenAgainContinues() throws IOException {
    RunJournal first = open();
    assertThat(rate(first, FILL)).isEqualTo(100);
    assertThat(rate(first, READ)).isEqualTo(101);
    assertThat(rate(first, READ, OptionalLong.of(1 << 28))).isEqualTo(102);
    assertThat(rate(first, FILL)).as("its second round").isEqualTo(103);

    RunJournal again = open();
    assertThat(rate(again, READ, OptionalLong.of(1 << 28))).isEqualTo(102);
    assertThat(rate(again, FILL)).isEqualTo(100);
    assertThat(rate(again, FILL)).isEqualTo(103);
    assertThat(done).hasSize(4);
    assertThat(rate(again, FILL)).as("its third round").isEqualTo(104);
    assertThat(rate(again, READ)).isEqualTo(101);
    assertThat(rate(again, READ.withKeptFills(Optional.of(directory))))
        .as("another run")
        .isEqualTo(105);
  }

  @Test
  void whatWasCutOffIsDoneAgain() throws IOException {
    rate(open(), FILL);
    Path file = directory.resolve("runs");
    String sound = Files.readString(file);
    for (String rest : List.of("run x", "run x\n{\"store\":\"si", "run x\n{}\n", "ru")) {
      Files.writeString(file, sound + rest, StandardOpenOption.TRUNCATE_EXISTING);
      assertThat(rate(open(), FILL)).as(rest).isEqualTo(100);
      assertThat(Files.readString(file)).as(rest).isEqualTo(sound);
    }
    Files.writeString(file, sound + "run x", StandardOpenOption.TRUNCATE_EXISTING);
    assertThat(rate(open(), READ)).isEqualTo(101);
    assertThat(rate(open(), READ)).isEqualTo(101);
  }

  @Test
  void keptFillsAreDoneAgain() throws IOException {
    RunSpec kept = FILL.withKeptFills(Optional.of(directory));
    rate(open(), kept);
    rate(open(), kept);
    assertThat(done).hasSize(2);
  }

  @Test
  void resultsOfAnotherBuildAreRefused() throws IOException {
    open();
    assertThatThrownBy(
            () -> RunJournal.open(directory.resolve("runs"), "d4e5f6", (spec, memory) -> run(spec)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a1b2c3")
        .hasMessageContaining("d4e5f6");
    Files.writeString(directory.resolve("other"), "fruit\n");
    assertThatThrownBy(
            () -> RunJournal.open(directory.resolve("other"), "", (spec, memory) -> run(spec)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("other is not a file of results");
  }
}
