package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleBiFunction;

/**
 * Decides which compactions are due for one of the reasons that a {@link CompactionPicker} lists. A
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

  /**
   * How many times as large the trees of each further stage are, about; 0 if there is one stage.
   */
  default int growthFactor() {
    return 0;
  }

  /** Whether it drops trees although snapshots and cursors see what is in them. */
  default boolean dropsVisible() {
    return false;
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

  /** Keeps the stages of a forest in some form. It looks at nothing but the forest. */
  public interface OfStages extends Rule {
    /** What is due, lower stages first. */
    List<CompactionPlan> due(Forest forest);

    /** How urgent a compaction is; also of one that another rule has begun. */
    double score(Forest forest, CompactionPlan plan);

    @Override
    default Priority priority() {
      return Priority.NEEDED;
    }

    @Override
    default Look propose(Picture picture, Consumer<Proposal> due) {
      Forest forest = picture.forest();
      for (CompactionPlan plan : due(forest)) {
        due.accept(Proposal.scored(priority(), plan, score(forest, plan)));
      }
      return Look.NEVER;
    }

    /**
     * The bits per key that the filters of a low stage have in addition to those of the last one,
     * each stage being so many times as large as the one before. They are checked by nearly every
     * read, and take little memory. With f times the entries in each further stage, useless reads
     * are fewest when each stage's rate of false positives is one f-th of the next one's (Monkey,
     * SIGMOD 2017, §4.1): log2(f) / ln 2 bits, which are 2.9 for f = 4 and 4.8 for f = 10.
     */
    static int moreFilterBits(Forest forest, int stage, int factor) {
      int further = Math.max(0, forest.stageCount() - stage);
      return further * (int) Math.round(Math.log(factor) / (Math.log(2) * Math.log(2)));
    }
  }

  /**
   * Resumes compactions that have begun according to the manifest, for whatever reason.
   *
   * @param score how urgent one is
   */
  record Remainder(ToDoubleBiFunction<Forest, CompactionPlan> score) implements Rule {
    @Override
    public Priority priority() {
      return Priority.NEEDED;
    }

    @Override
    public Look propose(Picture picture, Consumer<Proposal> due) {
      Forest forest = picture.forest();
      for (Compaction begun : forest.compactions()) {
        CompactionPlan plan = CompactionPlan.remainder(forest, begun);
        due.accept(Proposal.scored(priority(), plan, score.applyAsDouble(forest, plan)));
      }
      return Look.NEVER;
    }
  }

  /** The next compaction of those that compact what a caller wants compacted. */
  record Requested() implements Rule {
    @Override
    public Priority priority() {
      return Priority.REQUESTED;
    }

    @Override
    public Look propose(Picture picture, Consumer<Proposal> due) {
      Forest forest = picture.forest();
      Picture.Request request = picture.request();
      if (request != null) {
        CompactionPlan plan =
            request.fromStage() == 0
                ? CompactionPlan.ofAll(forest)
                : CompactionPlan.downwards(forest, request.span(), request.fromStage());
        if (plan != null) {
          due.accept(Proposal.of(priority(), plan));
        }
      }
      return Look.NEVER;
    }
  }
}
