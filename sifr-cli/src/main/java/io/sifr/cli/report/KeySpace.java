package io.sifr.cli.report;

import io.sifr.event.ForestShape;
import java.util.Arrays;
import java.util.TreeSet;

/**
 * Maps keys to columns of a drawing. The position of a key is the number of SSTs that begin at or
 * before it, not its value: real keys are clustered, and a true scale would draw everything in the
 * same columns.
 */
final class KeySpace {
  /** First keys of all SSTs, sorted. */
  private final byte[][] begins;

  private final byte[] largest;
  private final int columns;

  KeySpace(ForestShape forest, int columns) {
    TreeSet<byte[]> sorted = new TreeSet<>(Arrays::compareUnsigned);
    byte[] last = {};
    for (ForestShape.Stage stage : forest.stages()) {
      for (ForestShape.Tree tree : stage.trees()) {
        for (ForestShape.Sst sst : tree.ssts()) {
          sorted.add(sst.smallestKey());
          last = Arrays.compareUnsigned(sst.largestKey(), last) > 0 ? sst.largestKey() : last;
        }
      }
    }
    this.begins = sorted.toArray(byte[][]::new);
    this.largest = last;
    this.columns = columns;
  }

  /** Whether there is no SST. */
  boolean isEmpty() {
    return begins.length == 0;
  }

  /** The first key, if there is an SST. */
  byte[] smallest() {
    return begins[0];
  }

  /** The last key, if there is an SST. */
  byte[] largest() {
    return largest;
  }

  /** Column, from 0, where an SST begins. */
  int firstColumn(ForestShape.Sst sst) {
    return column(beginsUpTo(sst.smallestKey()) - 1);
  }

  /** Column after the end of an SST: where the next SST begins. */
  int endColumn(ForestShape.Sst sst) {
    return column(beginsUpTo(sst.largestKey()));
  }

  private int beginsUpTo(byte[] key) {
    int at = Arrays.binarySearch(begins, key, Arrays::compareUnsigned);
    return at >= 0 ? at + 1 : -at - 1;
  }

  private int column(int rank) {
    return (int) ((long) rank * columns / begins.length);
  }
}
