package io.sifr.internal.compaction.pick;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.internal.forest.Forest;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.TestPolicies;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PoliciesTest {
  private static String rules(StoreOptions.Builder options) {
    return Policies.of(options.build()).rules().stream()
        .map(rule -> rule.getClass().getSimpleName())
        .collect(Collectors.joining(" "));
  }

  /** What is compacted under a policy, all of it: nothing begins that no rule proposes. */
  @ParameterizedTest
  @CsvSource({
    "SPLIT_FOREST, Hidden Expired Remainder Tiered Requested Space ValueSpace Reads Idle",
    "SIZE_TIERED, Hidden Expired Remainder Tiered Requested Space ValueSpace Reads Idle",
    "LAZILY_LEVELED, Hidden Expired Remainder LazilyLeveled Requested Space ValueSpace Reads Idle",
    "LEVELED, Hidden Expired Remainder Leveled Requested Space ValueSpace Reads Idle",
    "GUARDED, Hidden Expired Remainder Guarded Requested Space ValueSpace Reads Idle",
    "FIFO, Hidden Expired Remainder Fifo",
  })
  void listTheirRules(CompactionPolicy.Kind policy, String rules) {
    assertThat(rules(StoreOptions.builder().compaction(CompactionPolicy.of(policy))))
        .isEqualTo(rules);
  }

  @Test
  void listNoRulesThatOptionsLeaveOut() {
    assertThat(
            rules(StoreOptions.builder().maxSpaceAmplification(0).readCompactionBytesPerSecond(0)))
        .isEqualTo("Hidden Expired Remainder Tiered Requested");
  }

  /** Debt, filter bits and guards are those of the rule that has some. */
  @ParameterizedTest
  @EnumSource(CompactionPolicy.Kind.class)
  void areWhatTheirRulesAre(CompactionPolicy.Kind kind) {
    CompactionPicker policy =
        Policies.of(StoreOptions.builder().compaction(TestPolicies.small(kind, 2)).build());
    Forest forest = ForestDrawing.parse("S1: [a] [a] [a] [a] [a] [a] [a] [a] [a] [a] | S2: [a]");
    List<Rule> stages = policy.rules().stream().filter(Rule.OfStages.class::isInstance).toList();
    for (Rule rule : stages) {
      assertThat(rule.debt(forest)).isPositive();
      assertThat(policy.debt(forest)).isEqualTo(rule.debt(forest));
      assertThat(rule.moreFilterBits(forest, 1)).isPositive();
      assertThat(policy.moreFilterBits(forest, 1)).isEqualTo(rule.moreFilterBits(forest, 1));
      assertThat(policy.guards(forest, 2).spans()).hasSameSizeAs(rule.guards(forest, 2).spans());
    }
    assertThat(policy.debt(ForestDrawing.parse("S1: [a]"))).isZero();
  }
}
