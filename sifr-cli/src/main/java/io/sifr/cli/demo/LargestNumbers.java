package io.sifr.cli.demo;

import java.util.PriorityQueue;

/**
 * Keeps the largest of the numbers it is given, to determine how many entries a scan must find that
 * reaches the end. Not thread-safe.
 */
final class LargestNumbers {
  private final int capacity;

  /** The smallest is first. */
  private final PriorityQueue<Long> largest = new PriorityQueue<>();

  LargestNumbers(int capacity) {
    this.capacity = capacity;
  }

  void add(long number) {
    Long smallest = largest.peek();
    if (smallest == null || largest.size() < capacity) {
      largest.add(number);
    } else if (number > smallest) {
      largest.poll();
      largest.add(number);
    }
  }

  /** How many numbers there are at or above {@code number}; the capacity, when there are more. */
  int countFrom(long number) {
    return (int) largest.stream().filter(kept -> kept >= number).count();
  }
}
