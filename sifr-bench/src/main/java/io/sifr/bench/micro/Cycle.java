package io.sifr.bench.micro;

import java.util.List;
import java.util.stream.Stream;

/**
 * Objects created before the measurement and returned one after the other, cyclically. Used by one
 * thread.
 */
final class Cycle<T> {
  private final List<T> things;
  private int next;

  /** A cycle of at least one object. */
  Cycle(Stream<T> things) {
    this.things = things.toList();
  }

  T next() {
    T thing = things.get(next);
    next = next + 1 < things.size() ? next + 1 : 0;
    return thing;
  }
}
