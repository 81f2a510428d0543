package io.sifr.internal.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.MergeTrigger;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SplitForestPolicyTest {
  private static String drawn(List<LogicalTree> trees) {
    return String.join(" ", trees.stream().map(ForestDrawing::print).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // trigger; forest; busy stage; stage, inputs newest first
        "EAGER; ''; 0; ''",
        "EAGER; S1: [a]; 0; ''",
        "EAGER; S1: [b] [a]; 0; 1: [b] [a]",
        "EAGER; S1: [d] [c] [b] [a]; 0; 1: [b] [a]",
        "EAGER; S1: [d] [c] | S2: [b] [a]; 0; 1: [d] [c], 2: [b] [a]",
        "EAGER; S1: [d] [c] | S2: [b] [a]; 1; 2: [b] [a]",
        "EAGER; S1: [d] [c] | S2: [b]; 1; ''",
        "EAGER; S1: | S2: [c] [b] | S3: [a]; 0; 2: [c] [b]",
        "LAZY; S1: [b] [a]; 0; ''",
        "LAZY; S1: [c] [b] [a]; 0; 1: [b] [a]",
        "LAZY; S1: [e] [d] | S2: [c] [b] [a]; 0; 2: [b] [a]",
      })
  void theOldestOfEachFullStageThatIsNotBusy(
      MergeTrigger trigger, String drawing, int busy, String expected) {
    List<CompactionPlan> due =
        new SplitForestPolicy(2, trigger).due(ForestDrawing.parse(drawing), Set.of(busy)::contains);
    assertThat(due.stream().map(plan -> plan.sourceStage() + ": " + drawn(plan.inputs())))
        .containsExactly(expected.isEmpty() ? new String[0] : expected.split(", "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "S1: [c] [b]; 1; 2; ''",
        "S1: [e] [d] | S2: [c] | S3: [b] [a]; 1; 2; [c] [b] [a]",
        "S1: [e] | S2: [d] [c] | S3: [b] [a]; 2; 3; [b] [a]",
      })
  void aPlanOfOldestKnowsTheTreesBelow(String drawing, int stage, int target, String older) {
    CompactionPlan plan = CompactionPlan.ofOldest(ForestDrawing.parse(drawing), stage, 2);
    assertThat(plan.sourceStage()).isEqualTo(stage);
    assertThat(plan.targetStage()).isEqualTo(target);
    assertThat(plan.rewritesAll()).isFalse();
    assertThat(plan.inputSsts()).isEqualTo(2);
    assertThat(drawn(plan.older())).isEqualTo(older);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; 2; 2; ''",
        "S1: [c] [b]; 2; 2; [c] [b]",
        "S1: | S2: [c] [b]; 2; 2; [c] [b]",
        "S1: [a e-f] | S2: [c] | S3: [b] [a]; 3; 3; [a e-f] [c] [b] [a]",
      })
  void aPlanOfAllRewritesAllIntoTheHighestStage(
      String drawing, int source, int target, String inputs) {
    CompactionPlan plan = CompactionPlan.ofAll(ForestDrawing.parse(drawing));
    assertThat(plan.sourceStage()).isEqualTo(source);
    assertThat(plan.targetStage()).isEqualTo(target);
    assertThat(plan.rewritesAll()).isTrue();
    assertThat(plan.older()).isEmpty();
    assertThat(drawn(plan.inputs())).isEqualTo(inputs);
  }
}
