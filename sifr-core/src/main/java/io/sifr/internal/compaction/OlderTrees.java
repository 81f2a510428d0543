package io.sifr.internal.compaction;

import io.sifr.internal.forest.LogicalTree;
import java.util.List;

/**
 * Whether a tree that is believed less may hold a key, which decides whether its tombstone must
 * stay.
 */
record OlderTrees(List<LogicalTree> trees) {
  boolean mayHold(byte[] key, int offset, int length) {
    for (LogicalTree tree : trees) {
      if (tree.mayHold(key, offset, length)) {
        return true;
      }
    }
    return false;
  }
}
