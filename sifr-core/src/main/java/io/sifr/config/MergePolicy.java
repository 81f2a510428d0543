package io.sifr.config;

/**
 * Which trees are merged, and so how many sorted runs there are to search, how often data is
 * rewritten, and how much space obsolete data takes. A directory can be opened with another policy
 * at any time: compactions then bring it into the form that the policy wants.
 */
public enum MergePolicy {
  /**
   * The split forest (TPDS §4): when a stage holds {@link StoreOptions#growthFactor} trees, they
   * become one tree of the next stage, and SSTs that overlap no other are moved. The least is
   * written, and the most trees are searched.
   */
  SPLIT_FOREST,
  /**
   * As the papers' Size-Tiered: the same trees are merged, but each is a single SST, and nothing is
   * moved. To compare with the papers.
   */
  SIZE_TIERED,
  /**
   * A split forest whose last stage is a single tree, into which the trees of the stage before are
   * merged. It writes more, and less space is taken by obsolete data: for work that overwrites or
   * scans.
   */
  LAZILY_LEVELED,
  /**
   * As LevelDB and RocksDB: the first stage holds up to {@link StoreOptions#growthFactor} trees and
   * each further stage one. Of a stage that is larger than its limit, {@link
   * StoreOptions#firstLevelBytes} times a power of {@link StoreOptions#levelFactor}, one SST after
   * the other is merged into the next. The fewest trees are searched, and data is rewritten most
   * often.
   */
  LEVELED,
  /**
   * As PebblesDB: of each stage but the first, keys that are chosen by their hash, its guards,
   * divide the keys into spans. What more than {@link StoreOptions#guardTrees} trees hold between
   * two guards is merged into the next stage without what is there; stage 1 is merged when it holds
   * {@link StoreOptions#growthFactor} trees, and of stage 7 each span into one run. To compare with
   * the papers.
   */
  GUARDED,
  /**
   * First in, first out: nothing is merged, and when the trees of a database have more than {@link
   * StoreOptions#fifoBytes} the oldest are dropped, until they have no more. For caches and for
   * logs of which the newest part counts: each byte is written once, and <b>old data goes by
   * itself</b>, whatever snapshots are open. It goes in the order in which it was written: a key
   * has its newest value or none. {@code Database.compact} does nothing, and neither do merges for
   * reads or for space; what has expired, or lies in a deleted range, is dropped with whole SSTs.
   */
  FIFO
}
