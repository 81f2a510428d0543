package io.sifr.internal.forest;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Forests by the ids of their databases. Immutable: a change copies the forests of a few
 * neighbouring ids and the table of all such groups, so that a store may have many databases.
 */
final class ForestTable {
  static final ForestTable EMPTY = new ForestTable(Collections.emptySortedMap(), 0);

  private static final int GROUP_SHIFT = 6;

  private final SortedMap<Integer, SortedMap<Integer, Forest>> groups;
  private final long bytes;

  private ForestTable(SortedMap<Integer, SortedMap<Integer, Forest>> groups, long bytes) {
    this.groups = groups;
    this.bytes = bytes;
  }

  /** Bytes of all SSTs. */
  long bytes() {
    return bytes;
  }

  Optional<Forest> get(int databaseId) {
    return Optional.ofNullable(group(databaseId).get(databaseId));
  }

  private SortedMap<Integer, Forest> group(int databaseId) {
    return groups.getOrDefault(databaseId >> GROUP_SHIFT, Collections.emptySortedMap());
  }

  /** All forests, in the order of their ids. */
  Stream<Forest> all() {
    return groups.values().stream().flatMap(group -> group.values().stream());
  }

  /** This table with another forest of the database that it belongs to. */
  ForestTable with(Forest forest) {
    SortedMap<Integer, Forest> changed = new TreeMap<>(group(forest.databaseId()));
    Forest before = changed.put(forest.databaseId(), forest);
    return with(forest.databaseId(), changed, forest.bytes() - bytes(before));
  }

  ForestTable without(int databaseId) {
    SortedMap<Integer, Forest> changed = new TreeMap<>(group(databaseId));
    Forest before = changed.remove(databaseId);
    return with(databaseId, changed, -bytes(before));
  }

  private static long bytes(@Nullable Forest forest) {
    return forest == null ? 0 : forest.bytes();
  }

  private ForestTable with(int databaseId, SortedMap<Integer, Forest> group, long moreBytes) {
    SortedMap<Integer, SortedMap<Integer, Forest>> changed = new TreeMap<>(groups);
    if (group.isEmpty()) {
      changed.remove(databaseId >> GROUP_SHIFT);
    } else {
      changed.put(databaseId >> GROUP_SHIFT, group);
    }
    return new ForestTable(changed, bytes + moreBytes);
  }
}
