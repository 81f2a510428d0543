package io.sifr.internal.state;

/**
 * Numbers of a store that no user has to choose. Tests open stores with others, so that little data
 * reaches what takes much otherwise.
 *
 * @param sstsBeforeGrowth SSTs of a split unit that a store has before new ones are larger, at
 *     least 1
 * @param cleaningThresholdBytes bytes of SSTs that a compaction writes before it commits them and
 *     deletes the inputs they replace
 * @param rangeTombstoneBytes memory of a database's range tombstones beyond which range deletes
 *     wait for compactions
 * @param immutableMemtables full write buffers of a database that may wait for their flush before
 *     writers have to
 * @param stepsBack whether compactions step back while they make reads slow
 */
public record Tuning(
    int sstsBeforeGrowth,
    long cleaningThresholdBytes,
    long rangeTombstoneBytes,
    int immutableMemtables,
    boolean stepsBack) {
  /**
   * What users have.
   *
   * <ul>
   *   <li>9000 SSTs of 2 MiB are 18.9 GB, with all files open and all overlaps small; with a growth
   *       from there a terabyte has about twice as many.
   *   <li>20 MiB are ten split units: a sync of the manifest for each is not felt, and the space
   *       that a compaction takes besides is small in any store that has compactions.
   *   <li>16 MiB of range tombstones are some hundred thousand; each is looked through by reads.
   *   <li>Four buffers even out a burst for as long as a flush takes; more of them only delay the
   *       moment at which writers are slowed.
   *   <li>Compactions that nobody waits for always step back.
   * </ul>
   */
  public static final Tuning DEFAULT = new Tuning(9000, 20 << 20, 16 << 20, 4, true);

  /** This with another number of SSTs before they grow. */
  public Tuning withSstsBeforeGrowth(int ssts) {
    return new Tuning(
        ssts, cleaningThresholdBytes, rangeTombstoneBytes, immutableMemtables, stepsBack);
  }

  /** This with another threshold of early cleaning. */
  public Tuning withCleaningThresholdBytes(long bytes) {
    return new Tuning(sstsBeforeGrowth, bytes, rangeTombstoneBytes, immutableMemtables, stepsBack);
  }

  /** This with another limit of range tombstones. */
  public Tuning withRangeTombstoneBytes(long bytes) {
    return new Tuning(
        sstsBeforeGrowth, cleaningThresholdBytes, bytes, immutableMemtables, stepsBack);
  }

  /** This with another number of waiting write buffers. */
  public Tuning withImmutableMemtables(int buffers) {
    return new Tuning(
        sstsBeforeGrowth, cleaningThresholdBytes, rangeTombstoneBytes, buffers, stepsBack);
  }

  /** This with compactions that step back, or do not. */
  public Tuning withStepsBack(boolean steps) {
    return new Tuning(
        sstsBeforeGrowth, cleaningThresholdBytes, rangeTombstoneBytes, immutableMemtables, steps);
  }
}
