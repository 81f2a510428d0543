package io.sifr.internal.compaction;

import java.util.List;

/**
 * One step of a merge along the key space; its output lies wholly above that of the step before.
 *
 * @param <S> the SSTs' metadata
 */
public sealed interface Step<S extends Extent> {

  /** The SSTs that the step takes from the input trees, by smallest key. */
  List<S> inputs();

  /**
   * The SST belongs to the output tree as it is: only metadata changes (TPDS §4.3, "directly
   * moved").
   */
  record Move<S extends Extent>(S sst) implements Step<S> {

    @Override
    public List<S> inputs() {
      return List.of(sst);
    }
  }

  /**
   * The SSTs are merge-sorted and rewritten.
   *
   * @param inputs at least two, by smallest key, then in the order of the trees
   * @param outputBytes the size of each output SST aimed at, so that all have about the same
   */
  record Rewrite<S extends Extent>(List<S> inputs, long outputBytes) implements Step<S> {

    public Rewrite {
      inputs = List.copyOf(inputs);
    }
  }
}
