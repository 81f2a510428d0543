package io.sifr.config;

/**
 * Chooses among the SSTs that may hold a key, its <em>candidates</em>, those that a point query
 * searches concurrently. All schemes give the same answer, or the same exception; they differ in
 * time, and in the number of useless reads, whose answers are not needed.
 *
 * <p>For a cursor it determines how a seek, which needs all trees, positions the iterators of the
 * trees: with {@code SERIAL} one after the other, otherwise in parallel when two or more have to be
 * read; with {@code ADAPTIVE} only while reads are slower than waking a thread.
 */
public enum SearchScheme {
  /**
   * One after the other, in the calling thread, the newest first: no useless reads. The traditional
   * way (TPDS §4.2).
   */
  SERIAL,
  /**
   * All of them, by up to {@link StoreOptions#searchThreads} search threads and the caller: the
   * fastest way to data that is not in memory, with the most useless reads. The fixed-count scheme
   * of TPDS §4.2.
   */
  FIXED_COUNT,
  /**
   * Those of one stage, stage after stage: good for recently written keys. The priority-aware
   * scheme of TPDS §4.2.
   */
  PRIORITY_AWARE,
  /**
   * Those of the last stage, one after the other, concurrently with all others, one after the
   * other: two threads per query. From "Improving LSM-trie performance by parallel search" (2020),
   * §3.
   */
  LAST_STAGE,
  /**
   * Those in memory by the caller; two or more that have to be read in parallel, as far ahead as is
   * likely to pay; none in parallel while reads are as fast as waking a thread, while all search
   * threads are busy, or while more callers read than there are processors.
   */
  ADAPTIVE
}
