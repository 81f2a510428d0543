package io.sifr.internal.compaction.pick;

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
