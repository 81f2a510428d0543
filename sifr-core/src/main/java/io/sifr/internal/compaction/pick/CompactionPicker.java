package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Decides which trees of a forest are compacted or dropped: a list of rules. No compaction of a
 * store begins that none of them proposes.
 *
 * @param rules in the order in which they are called
 */
public record CompactionPicker(List<Rule> rules) {
  /** A copy that cannot be changed. */
  public CompactionPicker {
    rules = List.copyOf(rules);
  }

  /** With one more rule, the last one. */
  CompactionPicker with(Rule last) {
    return new CompactionPicker(Stream.concat(rules.stream(), Stream.of(last)).toList());
  }

  /**
   * Proposes what is due according to the rules of some priorities.
   *
   * @return when they may propose more although the forest stays the same
   */
  public Look propose(Predicate<Priority> asked, Picture picture, Consumer<Proposal> due) {
    Look look = Look.NEVER;
    for (Rule rule : rules) {
      if (asked.test(rule.priority())) {
        look = look.or(rule.propose(picture, due));
      }
    }
    return look;
  }

  /** As of the rule that lags behind the writes most, see {@link Rule#debt}. */
  public double debt(Forest forest) {
    return rules.stream().mapToDouble(rule -> rule.debt(forest)).max().orElse(0);
  }

  /**
   * The stage in which trees of about some bytes are, from 1.
   *
   * @param flushBytes of those that flushes write
   */
  public int stageOfSize(long bytes, long flushBytes) {
    int factor = growthFactor();
    int stage = 1;
    double next = (double) flushBytes * factor;
    while (factor > 0 && stage < Forest.MAX_STAGES && bytes >= next) {
      stage++;
      next *= factor;
    }
    return stage;
  }

  /** Trees that become one of the next stage; 0 when none do. */
  public int growthFactor() {
    return rules.stream().mapToInt(Rule::growthFactor).max().orElse(0);
  }

  /** Whether trees are dropped although snapshots and cursors see what is in them. */
  public boolean dropsVisible() {
    return rules.stream().anyMatch(Rule::dropsVisible);
  }

  /** See {@link Rule#moreFilterBits}. */
  public int moreFilterBits(Forest forest, int stage) {
    return rules.stream().mapToInt(rule -> rule.moreFilterBits(forest, stage)).max().orElse(0);
  }

  /** Those of the first rule that has some, see {@link Rule#guards}. */
  public Guards guards(Forest forest, int stage) {
    return rules.stream()
        .map(rule -> rule.guards(forest, stage))
        .filter(guards -> guards != Guards.NONE)
        .findFirst()
        .orElse(Guards.NONE);
  }
}
