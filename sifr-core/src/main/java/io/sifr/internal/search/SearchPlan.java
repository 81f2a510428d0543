package io.sifr.internal.search;

/**
 * Decides which candidates of a query may be searched at a moment, which is how the search schemes
 * differ. A pure function, called by several searchers at once.
 *
 * <p>Candidate i in order of priority is bit i of a set. A plan must allow the first candidate
 * without an answer unless it is claimed, so that a query always makes progress.
 */
interface SearchPlan {
  /** All at once: {@code FIXED_COUNT}. */
  SearchPlan ALL = (claimed, answered) -> -1;

  /**
   * The candidates that may be searched now; claimed ones may or may not be among them.
   *
   * @param claimed those that a thread has begun to search
   * @param answered those of them that have been searched
   */
  long allowed(long claimed, long answered);

  /**
   * All of one stage at once, stage after stage: {@code PRIORITY_AWARE}.
   *
   * @param stages stage of each candidate, ascending
   */
  static SearchPlan stageAfterStage(int[] stages) {
    long[] ofSameStage = new long[stages.length];
    for (int i = 0; i < stages.length; i++) {
      for (int j = 0; j < stages.length; j++) {
        ofSameStage[i] |= stages[i] == stages[j] ? 1L << j : 0;
      }
    }
    return (claimed, answered) -> {
      int first = Long.numberOfTrailingZeros(~answered);
      return first < ofSameStage.length ? ofSameStage[first] : 0;
    };
  }

  /**
   * Two rows in parallel, one candidate of each at a time: {@code LAST_STAGE}.
   *
   * @param firstOfSecond the first candidate of the second row
   */
  static SearchPlan twoRows(int firstOfSecond) {
    long first = firstOfSecond < Long.SIZE ? (1L << firstOfSecond) - 1 : -1;
    return (claimed, answered) -> {
      long busy = claimed & ~answered;
      return Long.lowestOneBit((busy & first) == 0 ? first & ~claimed : 0)
          | Long.lowestOneBit((busy & ~first) == 0 ? ~first & ~claimed : 0);
    };
  }
}
