package io.sifr.leveldb.importer;

/**
 * The options with which a LevelDB directory is read.
 *
 * @param ignoresComparator whether its keys may be in another order than that of their bytes
 * @param readsUntilDamage whether a damaged log is read up to the damage, and no later one
 * @param sortMemoryBytes how much of the heap is taken for entries that are not sorted
 */
record SourceOptions(boolean ignoresComparator, boolean readsUntilDamage, long sortMemoryBytes) {
  private static final long MOST_SORT_MEMORY = 256 << 20;
  private static final int HEAP_SHARE = 8;

  /** Of this JVM's heap an eighth, at most 256 MiB. */
  static long defaultSortMemoryBytes() {
    return Math.min(MOST_SORT_MEMORY, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }
}
