package io.sifr.isolation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds in a history what contradicts isolation, as Elle does ("Elle: Inferring Isolation Anomalies
 * from Experimental Observations", VLDB 2020), in small. As lists are only appended to, the longest
 * tells the order of all versions of it, and so which transaction depends on which: who has written
 * a version has to be before who read it, and who read a version before who wrote the next. A cycle
 * of these contradicts serializability. One with at most one step from a reader to the writer of
 * the next version contradicts snapshot isolation as well.
 */
final class HistoryCheck {
  private final List<Attempt> attempts;
  private final Map<String, List<Integer>> finals;
  private final Map<Integer, Attempt> writers = new HashMap<>();
  private final List<String> anomalies = new ArrayList<>();

  /** Who has to be after whom: who wrote the next version, or read this one. */
  private final Map<Attempt, Set<Attempt>> dependents = new HashMap<>();

  /** Who has to be after whom: who overwrote what was read. */
  private final Map<Attempt, Set<Attempt>> overwriters = new HashMap<>();

  /**
   * @param finals what the lists contain in the end
   */
  HistoryCheck(List<Attempt> attempts, Map<String, List<Integer>> finals) {
    this.attempts = attempts;
    this.finals = finals;
  }

  /** What contradicts snapshot isolation; empty when nothing does. */
  List<String> againstSnapshotIsolation() {
    look();
    if (anomalies.isEmpty()) {
      findCycles(dependents, List.of(), "cycle of writes and reads");
      overwriters.forEach(
          (reader, after) ->
              after.stream()
                  .filter(writer -> reaches(writer, reader))
                  .forEach(
                      writer ->
                          anomalies.add(
                              writer + " overwrote what " + reader + " read, and was before it")));
    }
    return anomalies;
  }

  /** What contradicts serializability; empty when nothing does. */
  List<String> againstSerializability() {
    look();
    if (anomalies.isEmpty()) {
      findCycles(dependents, List.of(overwriters), "cycle of dependencies");
    }
    return anomalies;
  }

  private void look() {
    for (Attempt attempt : attempts) {
      attempt.appends().values().forEach(own -> own.forEach(e -> writers.put(e, attempt)));
    }
    for (Attempt attempt : attempts) {
      if (attempt.isCommitted()) {
        attempt.appends().forEach((list, own) -> checkKept(attempt, list, own));
      }
      attempt.reads().forEach((list, content) -> checkRead(attempt, list, content));
    }
    finals.forEach(this::checkFinal);
  }

  private List<Integer> versions(String list) {
    return finals.getOrDefault(list, List.of());
  }

  private void checkKept(Attempt attempt, String list, List<Integer> own) {
    if (!versions(list).containsAll(own)) {
      anomalies.add("lost update: " + attempt + " appended " + own + " to " + list);
    }
  }

  private void checkFinal(String list, List<Integer> versions) {
    if (new HashSet<>(versions).size() < versions.size()) {
      anomalies.add(list + " contains a number twice: " + versions);
    }
    for (int i = 0; i < versions.size(); i++) {
      Attempt writer = writers.get(versions.get(i));
      if (writer == null || !writer.isCommitted()) {
        anomalies.add(list + " contains what " + writer + " wrote, which was not committed");
      } else if (i > 0) {
        add(dependents, writers.get(versions.get(i - 1)), writer);
      }
    }
  }

  private void checkRead(Attempt reader, String list, List<Integer> content) {
    List<Integer> versions = versions(list);
    int length = content.size();
    if (length > versions.size() || !versions.subList(0, length).equals(content)) {
      anomalies.add(reader + " read of " + list + " what it never was: " + content);
      return;
    }
    for (int i = length; i < versions.size(); i++) {
      Attempt writer = writers.get(versions.get(i));
      if (writer != null && writer.ended() <= reader.begun()) {
        anomalies.add(reader + " did not see what " + writer + " had committed to " + list);
      }
    }
    Attempt next = length == versions.size() ? null : writers.get(versions.get(length));
    if (length > 0) {
      Attempt writer = writers.get(content.get(length - 1));
      if (writer != null && writer == next && writer != reader) {
        anomalies.add(reader + " read a part of what " + writer + " appended to " + list);
      }
      add(dependents, writer, reader);
    }
    add(overwriters, reader, next);
  }

  private static void add(
      Map<Attempt, Set<Attempt>> edges, @Nullable Attempt before, @Nullable Attempt after) {
    if (before != null && after != null && before != after && isRelevant(before, after)) {
      edges.computeIfAbsent(before, any -> new LinkedHashSet<>()).add(after);
    }
  }

  /** What was not committed is in no order with the others. */
  private static boolean isRelevant(Attempt before, Attempt after) {
    return before.isCommitted() && after.isCommitted();
  }

  /** Whether one has to be after another because of writes and reads alone. */
  private boolean reaches(Attempt from, Attempt to) {
    Set<Attempt> seen = new HashSet<>();
    Deque<Attempt> next = new ArrayDeque<>(List.of(from));
    while (!next.isEmpty()) {
      Attempt at = next.remove();
      for (Attempt after : dependents.getOrDefault(at, Set.of())) {
        if (after == to) {
          return true;
        }
        if (seen.add(after)) {
          next.add(after);
        }
      }
    }
    return false;
  }

  /** Removes who has nobody before, again and again; a cycle is left. */
  private void findCycles(
      Map<Attempt, Set<Attempt>> edges, List<Map<Attempt, Set<Attempt>>> more, String what) {
    Map<Attempt, Integer> before = new HashMap<>();
    List<Map<Attempt, Set<Attempt>>> all = new ArrayList<>(more);
    all.add(edges);
    for (Map<Attempt, Set<Attempt>> some : all) {
      some.values().stream()
          .flatMap(Collection::stream)
          .forEach(a -> before.merge(a, 1, Integer::sum));
    }
    Deque<Attempt> free = new ArrayDeque<>();
    attempts.stream().filter(attempt -> !before.containsKey(attempt)).forEach(free::add);
    while (!free.isEmpty()) {
      Attempt first = free.remove();
      for (Map<Attempt, Set<Attempt>> some : all) {
        for (Attempt after : some.getOrDefault(first, Set.of())) {
          int left = before.getOrDefault(after, 0) - 1;
          before.put(after, left);
          if (left == 0) {
            before.remove(after);
            free.add(after);
          }
        }
      }
    }
    if (!before.isEmpty()) {
      anomalies.add(what + " among " + before.keySet());
    }
  }
}
