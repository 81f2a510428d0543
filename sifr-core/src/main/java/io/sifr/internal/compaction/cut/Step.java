package io.sifr.internal.compaction.cut;

import io.sifr.internal.sst.read.SstSlice;
import java.util.List;

/**
 * One step of a compaction along the key space; its output lies wholly above that of the step
 * before.
 */
public sealed interface Step {
  /** What the step takes from the input trees, by smallest key. */
  List<SstSlice> inputs();

  /**
   * The SST is moved to the output tree as it is: only metadata changes (TPDS §4.3, "directly
   * moved").
   */
  record Move(SstSlice slice) implements Step {
    @Override
    public List<SstSlice> inputs() {
      return List.of(slice);
    }
  }

  /**
   * The inputs are merge-sorted and rewritten.
   *
   * @param inputs by smallest key, then in the order of the trees
   * @param outputBytes target size of each output SST, so that all are about equal
   */
  record Rewrite(List<SstSlice> inputs, long outputBytes) implements Step {
    public Rewrite {
      inputs = List.copyOf(inputs);
    }
  }

  /** The inputs are dropped. */
  record Drop(List<SstSlice> inputs) implements Step {
    public Drop {
      inputs = List.copyOf(inputs);
    }
  }
}
