package io.sifr.internal.compaction.pick;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.forest.ValueUses;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.SstSlice;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Encrypts everything with the current key: SSTs of other keys are rewritten in their trees, and so
 * are those that refer to value files of other keys, with the values copied to new files. Files
 * without encryption have a key of their own here, so a store can be encrypted, and decrypted, in
 * the same way.
 *
 * <p>A part of a tree at a time, so that other compactions of the tree need not wait for long. The
 * key may change at any time, which no edit of the forest tells; so it is looked at again and
 * again.
 */
record KeyRotation() implements Rule {
  /** Of SSTs and values that one compaction rewrites; a single SST may have more. */
  static final long BYTES_AT_A_TIME = 64 << 20;

  /** After how many milliseconds the key is looked at again. */
  static final long LOOK_MILLIS = 10_000;

  @Override
  public Priority priority() {
    return Priority.SPACE;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    int key = picture.upkeep().key();
    if (key >= 0) {
      Forest forest = picture.forest();
      Set<Long> values = valuesOfOthers(forest, key);
      for (LogicalTree tree : forest.byPriority()) {
        propose(new Due(forest, tree, key, values), due);
      }
    }
    return Look.at(picture.now() + LOOK_MILLIS);
  }

  /** The value files of other keys out of which values can be copied. */
  private static Set<Long> valuesOfOthers(Forest forest, int key) {
    Set<Long> others = new HashSet<>();
    if (forest.refersToValues()) {
      for (ValueUses.File file : forest.values().files()) {
        int known = file.key();
        if (known >= 0 && known != key && file.referredBytes() + file.unreferredBytes() > 0) {
          others.add(file.number());
        }
      }
    }
    return others;
  }

  /**
   * The files that a tree should not have.
   *
   * @param key the current one
   * @param values value files of other keys
   */
  private record Due(Forest forest, LogicalTree tree, int key, Set<Long> values) {
    boolean has(SstSlice slice) {
      return slice.sst().meta().key() != key || refers(slice);
    }

    private boolean refers(SstSlice slice) {
      return slice.sst().meta().values().stream().map(ValueUse::file).anyMatch(values::contains);
    }

    /** The bytes of a slice, and of the values that are copied with it. */
    long bytes(SstSlice slice) {
      return slice.sst().bytes()
          + slice.sst().meta().values().stream()
              .filter(use -> values.contains(use.file()))
              .mapToLong(ValueUse::bytes)
              .sum();
    }
  }

  private void propose(Due wanted, Consumer<Proposal> due) {
    List<SstSlice> slices = wanted.tree.slices();
    int begin = -1;
    long bytes = 0;
    for (int i = 0; i < slices.size(); i++) {
      boolean has = wanted.has(slices.get(i));
      long more = has ? wanted.bytes(slices.get(i)) : 0;
      if (begin >= 0 && (!has || bytes + more > BYTES_AT_A_TIME)) {
        propose(wanted, WholeSlices.span(slices, begin, i), bytes, due);
        begin = -1;
        bytes = 0;
      }
      if (has) {
        begin = begin < 0 ? i : begin;
        bytes += more;
      }
    }
    if (begin >= 0) {
      propose(wanted, WholeSlices.span(slices, begin, slices.size()), bytes, due);
    }
  }

  private void propose(Due wanted, KeySpan span, long bytes, Consumer<Proposal> due) {
    if (WholeSlices.areIdle(wanted.forest, wanted.tree, span)) {
      CompactionPlan plan =
          CompactionPlan.emptying(wanted.forest, wanted.tree, List.of(span), wanted.values)
              .because(CompactionReason.KEY_ROTATION);
      due.accept(new Proposal(plan, priority(), 0, bytes, 0));
    }
  }
}
