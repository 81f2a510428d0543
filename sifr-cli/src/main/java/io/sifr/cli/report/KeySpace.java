package io.sifr.cli.report;

import io.sifr.event.ForestShape;
import java.util.Arrays;
import java.util.TreeSet;

/**
 * Maps keys to columns of a drawing. A key's place is told by how many SSTs begin at or before it,
 * not by its value: real keys crowd in a few places, where a true scale would draw everything on
 * top of each other.
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

  /** Whether there is no SST at all. */
  boolean isEmpty() {
    return begins.length == 0;
  }

  /** First key of all, when there is an SST. */
  byte[] smallest() {
    return begins[0];
  }

  /** Last key of all, when there is an SST. */
  byte[] largest() {
    return largest;
  }

  /** Column, from 0, where an SST begins. */
  int firstColumn(ForestShape.Sst sst) {
    return column(beginsUpTo(sst.smallestKey()) - 1);
  }

  /** Column at which an SST has ended: where one begins that lies behind it. */
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
