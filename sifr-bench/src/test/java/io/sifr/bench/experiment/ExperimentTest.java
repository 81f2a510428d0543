package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.report.Block;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What the report says of experiments is found by their names. */
class ExperimentTest {
  private static final Laboratory LABORATORY =
      new Laboratory(
          Scale.TINY, 1, () -> false, Path.of("unused"), (spec, memory) -> List.of(), what -> {});

  @Test
  void everyTextBelongsToAnExperiment() throws Exception {
    Properties texts = new Properties();
    try (InputStream in = Experiment.class.getResourceAsStream("experiments.properties")) {
      texts.load(Objects.requireNonNull(in));
    }
    for (String key : texts.stringPropertyNames()) {
      assertThat(Experiments.names()).contains(key.substring(0, key.indexOf('.')));
      assertThat(key).matches(".*\\.(title|paper|method|comparable)");
    }
    for (String name : Experiments.names()) {
      assertThat(texts).containsKeys(name + ".title", name + ".comparable");
    }
  }

  @Test
  void theFiguresAreBetweenWhatIsSaidOfThem() {
    Experiment range =
        new Experiment("range", (laboratory, findings) -> findings.text("the figures"));
    assertThat(range.title()).isEqualTo("range queries (TPDS §5.3.4)");
    assertThat(range.run(LABORATORY).blocks())
        .extracting(block -> ((Block.Text) block).text())
        .extracting(text -> text.substring(0, text.indexOf(' ')))
        .containsExactly("The", "parallel-reads", "the", "Comparable:");
  }

  @Test
  void aFactIsFilledIn() {
    Experiment overwrites =
        new Experiment(
            "overwrites",
            (laboratory, findings) -> findings.fact("loaded", 40_000).fact("rounds", 6));
    assertThat(((Block.Text) overwrites.run(LABORATORY).blocks().get(0)).text())
        .contains("40,000 entries are loaded, and as many times 6 overwritten");
    Experiment without = new Experiment("overwrites", (laboratory, findings) -> {});
    assertThatThrownBy(() -> without.run(LABORATORY)).isInstanceOf(IllegalStateException.class);
  }
}
