package io.sifr.internal.entry;

/** Positions the children of a merging iterator. */
public interface Seeker {
  /** Positions one after another. */
  Seeker ONE_BY_ONE =
      (iterators, to) -> {
        for (EntryIterator iterator : iterators) {
          var unused = iterator.seek(to);
        }
      };

  /**
   * Moves all iterators to a target, in any order, and returns when all are positioned. When it
   * throws, no thread uses them any more, and they may only be closed.
   *
   * @param iterators not to be changed
   * @throws RuntimeException what one of them threw
   */
  void seek(EntryIterator[] iterators, SeekTarget to);
}
