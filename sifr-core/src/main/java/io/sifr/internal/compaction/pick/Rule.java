package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import java.util.function.Consumer;

/**
 * Decides which compactions are due for one of the reasons that a {@link CompactionPolicy} lists. A
 * pure function of a {@link Picture}. Accepts any forest, since a directory may have been written
 * under another policy.
 */
public interface Rule {
  /** That of all its proposals. */
  Priority priority();

  /**
   * Proposes what is due, lower stages first. The caller skips what conflicts with a compaction
   * that runs or is about to begin.
   *
   * @return when it may propose more although the forest stays the same; found with the proposals
   */
  Look propose(Picture picture, Consumer<Proposal> due);

  /**
   * How far what it proposes lags behind the writes: 0 and below, not at all; 1, as far as it ever
   * should; above, further. Writers are slowed down accordingly.
   */
  default double debt(Forest forest) {
    return 0;
  }

  /**
   * Filter bits per key of a stage's SSTs in addition to those of the options. A stage that holds
   * less data than others can have more, which saves most of the useless reads.
   */
  default int moreFilterBits(Forest forest, int stage) {
    return 0;
  }

  /** Where the SSTs that compactions write for a stage are cut, whatever their size. */
  default Guards guards(Forest forest, int stage) {
    return Guards.NONE;
  }

  /**
   * The next time at which a rule may propose more although the forest stays as it is.
   *
   * @param time at that time, in milliseconds since the epoch
   * @param releaseBefore when a snapshot with a smaller number is released; 0: no snapshot matters
   * @param credit when reads have wasted so much
   * @param idleMillis when nobody has written for so long
   */
  public record Look(long time, long releaseBefore, long credit, long idleMillis) {
    /** Of each but the releases. */
    public static final long NO_NEED = Long.MAX_VALUE;

    /** Nothing more is proposed for the same forest. */
    public static final Look NEVER = new Look(NO_NEED, 0, NO_NEED, NO_NEED);

    static Look at(long time) {
      return new Look(time, 0, NO_NEED, NO_NEED);
    }

    static Look onRelease(long before) {
      return new Look(NO_NEED, before, NO_NEED, NO_NEED);
    }

    static Look withCredit(long credit) {
      return new Look(NO_NEED, 0, credit, NO_NEED);
    }

    static Look whenIdleFor(long millis) {
      return new Look(NO_NEED, 0, NO_NEED, millis);
    }

    /** What comes first of both. */
    Look or(Look other) {
      return new Look(
          Math.min(time, other.time),
          Math.max(releaseBefore, other.releaseBefore),
          Math.min(credit, other.credit),
          Math.min(idleMillis, other.idleMillis));
    }
  }

  /**
   * A compaction that a rule proposes.
   *
   * @param plan what is merged
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
}
