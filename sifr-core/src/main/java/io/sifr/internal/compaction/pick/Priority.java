package io.sifr.internal.compaction.pick;

/**
 * The priorities of compactions, by which they begin and run. Of those that are due in any database
 * the first row goes first; within a row the highest score, and of equal scores the smallest
 * compaction.
 */
public enum Priority {
  /** Drops whole SSTs unread: takes no time, and leaves less to do for all others. */
  DROP(Begins.IN_TURN, true, YieldsTo.NOTHING, Rate.UNLIMITED, true),

  /** A caller waits for its end, and runs it; other threads help. */
  REQUESTED(Begins.ON_ITS_CALLERS_THREAD, true, YieldsTo.HALF_ITS_SIZE, Rate.OF_THE_STORE, true),

  /** Keeps stages as the policy wants them, or has begun before. Writers may wait for it. */
  NEEDED(Begins.IN_TURN, true, YieldsTo.HALF_ITS_SIZE, Rate.STEPPING_BACK, true),

  /** Frees the space of overwritten and deleted entries, which those above do as well. */
  SPACE(Begins.IN_TURN, true, YieldsTo.HALF_ITS_SIZE, Rate.STEPPING_BACK, true),

  /** Makes reads faster that have paid for it. */
  READS(Begins.ALONE, false, YieldsTo.ANYTHING, Rate.FOR_READS, false),

  /** Makes later reads faster while nobody writes. */
  IDLE(Begins.ALONE, false, YieldsTo.ANYTHING, Rate.FOR_READS, false);

  /** The moment at which a compaction begins. */
  private enum Begins {
    /** As soon as a thread is free and nothing goes before it. */
    IN_TURN,
    ON_ITS_CALLERS_THREAD,
    /** As soon as nothing else is due or runs in the store. */
    ALONE
  }

  /** The compactions that may run in the place of one, on its turn. */
  private enum YieldsTo {
    NOTHING,
    HALF_ITS_SIZE,
    ANYTHING
  }

  /**
   * The rate at which a compaction writes; the limit of the store holds for all that are limited.
   */
  private enum Rate {
    UNLIMITED,
    OF_THE_STORE,
    /** That of the store; pauses while it makes reads slow. */
    STEPPING_BACK,
    /** As above, and not faster than compactions for reads may be. */
    FOR_READS
  }

  /** Bytes that no compaction has; none that waits is distinguished by {@link Long#MAX_VALUE}. */
  private static final long ANY_BYTES = Long.MAX_VALUE - 1;

  private static final int HALF = 2;

  private final Begins begins;
  private final boolean onAllThreads;
  private final YieldsTo yieldsTo;
  private final Rate rate;
  private final boolean takesPlace;

  Priority(Begins begins, boolean onAllThreads, YieldsTo yieldsTo, Rate rate, boolean takesPlace) {
    this.begins = begins;
    this.onAllThreads = onAllThreads;
    this.yieldsTo = yieldsTo;
    this.rate = rate;
    this.takesPlace = takesPlace;
  }

  /** Whether it begins only in a store where nothing else is due or runs. */
  public boolean beginsAlone() {
    return begins == Begins.ALONE;
  }

  /** Whether a thread waits for its end, and runs it. */
  public boolean isAwaited() {
    return begins == Begins.ON_ITS_CALLERS_THREAD;
  }

  /** Whether several threads may work on it. */
  public boolean isOnAllThreads() {
    return onAllThreads;
  }

  /**
   * The bytes of the largest compaction that may run in the place of one; negative if none may.
   *
   * @param ownBytes of the one
   */
  public long yieldsToBytes(long ownBytes) {
    return switch (yieldsTo) {
      case NOTHING -> -1;
      case HALF_ITS_SIZE -> ownBytes / HALF;
      case ANYTHING -> ANY_BYTES;
    };
  }

  /** Whether the limit of the store for what compactions write holds for it. */
  public boolean isLimited() {
    return rate != Rate.UNLIMITED;
  }

  /** Whether it pauses while compactions make reads slow. */
  public boolean stepsBack() {
    return rate == Rate.STEPPING_BACK || rate == Rate.FOR_READS;
  }

  /** Whether it keeps to the rate of compactions for reads. */
  public boolean isAtReadRate() {
    return rate == Rate.FOR_READS;
  }

  /** Whether its threads count as compacting: else they keep no thread from the others. */
  public boolean takesPlace() {
    return takesPlace;
  }
}
