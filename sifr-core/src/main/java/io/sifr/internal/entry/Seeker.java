package io.sifr.internal.entry;

/** Leads the walks of a merge to a place. */
public interface Seeker {
  /** One after the other. */
  Seeker ONE_BY_ONE =
      (walks, to) -> {
        for (EntryIterator walk : walks) {
          var unused = walk.seek(to);
        }
      };

  /**
   * Leads them all there, in any order, and returns when they have arrived. When it throws, no
   * thread uses them any more, and they are only good to be closed.
   *
   * @param walks not to be changed
   * @throws RuntimeException what one of them threw
   */
  void lead(EntryIterator[] walks, SeekTarget to);
}
