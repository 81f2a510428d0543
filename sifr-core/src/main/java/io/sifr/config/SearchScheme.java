package io.sifr.config;

/**
 * Which of the SSTs that may hold a key, its <em>candidates</em>, a point query searches at once.
 * The answer is the same with all of them, and so is the exception when there is one; they differ
 * in time, and in reads whose answer turns out not to be needed.
 *
 * <p>Of a cursor it says how the trees are sought where it is led to a key or an end, all of which
 * are needed: one after the other with {@code SERIAL}, in parallel when two or more have to be read
 * otherwise; with {@code ADAPTIVE} only while reads are slower than waking a thread.
 */
public enum SearchScheme {
  /**
   * One after the other, in the calling thread, the newest first: nothing is read in vain. The
   * traditional way (TPDS §4.2).
   */
  SERIAL,
  /**
   * All of them, by as many search threads as {@link StoreOptions#searchThreads} says and the
   * caller: the quickest way to data that is not in memory, and the most reads in vain. The
   * fixed-count scheme of TPDS §4.2.
   */
  FIXED_COUNT,
  /**
   * Those of one stage, stage after stage: good for keys that were written lately. The
   * priority-aware scheme of TPDS §4.2.
   */
  PRIORITY_AWARE,
  /**
   * Those of the last stage, one after the other, beside all others, one after the other: two
   * threads a query. From "Improving LSM-trie performance by parallel search" (2020), §3.
   */
  LAST_STAGE,
  /**
   * Those in memory by the caller; two or more that have to be read in parallel, as far ahead as it
   * is likely to be worth it; none in parallel while reads are as quick as waking a thread, while
   * all search threads are at work, or while more callers read than there are processors.
   */
  ADAPTIVE
}
