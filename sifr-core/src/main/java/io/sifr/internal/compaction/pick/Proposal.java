package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.CompactionPlan;

/**
 * A compaction that a rule proposes.
 *
 * @param plan what is compacted
 * @param priority how it begins and runs
 * @param score the higher, the sooner it begins; compared within its priority only
 * @param inputBytes what it reads or moves, about the amount of work
 * @param cost what it uses up of the credit of reads, in bytes
 */
public record Proposal(
    CompactionPlan plan, Priority priority, double score, long inputBytes, long cost) {
  /** One that is as urgent as others of its priority, and for which no reads pay. */
  public static Proposal of(Priority priority, CompactionPlan plan) {
    return scored(priority, plan, 0);
  }

  static Proposal scored(Priority priority, CompactionPlan plan, double score) {
    return new Proposal(plan, priority, score, plan.inputBytes(), 0);
  }

  /** One that drops its inputs: it has nothing to do. */
  static Proposal drop(CompactionPlan plan) {
    return new Proposal(plan, Priority.DROP, 0, 0, 0);
  }

  static Proposal paid(Priority priority, CompactionPlan plan, long cost) {
    return new Proposal(plan, priority, 0, plan.inputBytes(), cost);
  }
}
