package io.sifr.internal.compaction;

import io.sifr.internal.forest.LogicalTree;
import java.util.List;

/** Tells whether an older tree may hold a key, and so whether a tombstone for it must stay. */
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
