package io.sifr.isolation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one attempt at a transaction has seen and done: it reads lists, and appends numbers to them
 * that nobody else appends. So a list tells who has written it, in which order.
 */
final class Attempt {
  private final String name;
  private final Map<String, List<Integer>> reads = new LinkedHashMap<>();
  private final Map<String, List<Integer>> appends = new LinkedHashMap<>();
  private long begun;
  private long ended = Long.MAX_VALUE;
  private boolean committed;

  Attempt(String name) {
    this.name = name;
  }

  /** It begins after what had that moment or an earlier one as its end. */
  Attempt begin(long moment) {
    begun = moment;
    return this;
  }

  /**
   * It has read a list. What it reads again, or after having appended to it, must be what it knows
   * already.
   */
  Attempt read(String list, List<Integer> content) {
    List<Integer> known = reads.get(list);
    if (known == null) {
      reads.put(list, List.copyOf(content));
      return this;
    }
    List<Integer> expected = new ArrayList<>(known);
    expected.addAll(appends.getOrDefault(list, List.of()));
    if (!expected.equals(content)) {
      throw new AssertionError(
          name + " knows " + list + " as " + expected + " and then reads " + content);
    }
    return this;
  }

  /** It has appended a number to a list that it has read. */
  Attempt append(String list, int number) {
    appends.computeIfAbsent(list, any -> new ArrayList<>()).add(number);
    return this;
  }

  /** It was committed before that moment. */
  Attempt commit(long moment) {
    committed = true;
    ended = moment;
    return this;
  }

  Map<String, List<Integer>> reads() {
    return reads;
  }

  Map<String, List<Integer>> appends() {
    return appends;
  }

  long begun() {
    return begun;
  }

  long ended() {
    return ended;
  }

  boolean isCommitted() {
    return committed;
  }

  @Override
  public String toString() {
    return name;
  }
}
