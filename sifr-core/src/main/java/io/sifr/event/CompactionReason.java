package io.sifr.event;

/** The reason for a compaction. */
public enum CompactionReason {
  /**
   * A stage, a part of it, or the whole forest held more, or older data, than the policy allows.
   */
  STAGE_FULL,
  /**
   * Overwritten and deleted entries took more space than {@code maxSpaceAmplification} allows, or
   * so the samples of the keys say.
   */
  SPACE,
  /**
   * Values that are still needed were copied out of value files in which too little of the rest is.
   */
  VALUE_FILES,
  /** So much of the log was retained for SSTs that may be lost, see {@code fastIsVolatile}. */
  LOG,
  /** Files were encrypted with another key than the current one, or one of both with none. */
  KEY_ROTATION,
  /** Reads took longer because of the number of trees, and had wasted as much as it cost. */
  READS,
  /** Nobody had written for a while, and trees were left that later reads would pay for. */
  IDLE,
  /** {@code Database.compact} was called, or a range delete made room for its range tombstones. */
  REQUESTED,
  /** Range tombstones of newer trees hid all that it dropped. */
  RANGE_TOMBSTONES,
  /** All values in the SSTs that it dropped had expired. */
  EXPIRY,
  /** It had begun before, when the store was open the last time or before it failed. */
  RESUMED
}
