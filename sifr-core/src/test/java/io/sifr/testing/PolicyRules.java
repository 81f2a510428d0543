package io.sifr.testing;

import io.sifr.config.CompactionPolicy;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Picture;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.CompactionPlan;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** Policies with other rules than users can choose. */
public final class PolicyRules {
  /** The policies that merge, and lose nothing. */
  public static final List<CompactionPolicy.Kind> MERGING =
      List.copyOf(EnumSet.complementOf(EnumSet.of(CompactionPolicy.Kind.FIFO)));

  private PolicyRules() {}

  /** A policy for the sake of one rule. */
  public static CompactionPicker of(Rule.OfStages stages) {
    return new CompactionPicker(Policies.always(stages));
  }

  /** The policy without merges for reads, or with these instead. */
  public static CompactionPicker withReads(CompactionPicker policy, Rule... reads) {
    return withReads(policy, List.of(reads));
  }

  /** As above. */
  public static CompactionPicker withReads(CompactionPicker policy, List<Rule> reads) {
    List<Rule> rules = new ArrayList<>(policy.rules());
    rules.removeIf(rule -> rule.priority().beginsAlone());
    rules.addAll(reads);
    return new CompactionPicker(rules);
  }

  /** The rule that the policy is known for. */
  public static Rule.OfStages stages(CompactionPicker policy) {
    return policy.rules().stream()
        .filter(Rule.OfStages.class::isInstance)
        .map(Rule.OfStages.class::cast)
        .findFirst()
        .orElseThrow();
  }

  /** What a rule proposes for a picture. */
  public static List<Proposal> proposals(Rule rule, Picture picture) {
    List<Proposal> proposals = new ArrayList<>();
    var unused = rule.propose(picture, proposals::add);
    return proposals;
  }

  /** As above, the plans alone. */
  public static List<CompactionPlan> plans(Rule rule, Picture picture) {
    return proposals(rule, picture).stream().map(Proposal::plan).toList();
  }
}
