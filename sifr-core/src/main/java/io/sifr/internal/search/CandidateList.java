package io.sifr.internal.search;

import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.Searchers.ReadTimes;
import java.util.ArrayList;
import java.util.List;

/**
 * The candidates of one query that are not searched in the streaming loop, by priority, with what
 * the schemes need to know of each. For one thread.
 */
final class CandidateList {
  private final List<Candidate> candidates = new ArrayList<>();
  private final List<Integer> stages = new ArrayList<>();
  private final List<Double> weights = new ArrayList<>();

  /**
   * Adds a candidate of lower priority than all others.
   *
   * @param stage of its tree
   * @param weight relative likelihood that it holds the key
   */
  void add(Candidate candidate, int stage, double weight) {
    candidates.add(candidate);
    stages.add(stage);
    weights.add(weight);
  }

  /**
   * Searches them.
   *
   * @param share for {@code ADAPTIVE}: share of the likelihood to keep in flight
   * @param ticket the caller's ticket of the epoch that it is inside
   * @return whether there is an answer
   */
  boolean find(SearchScheme scheme, double share, Searchers searchers, int ticket, Lookup into) {
    // If there are more than a query can have, several queries search them one after another.
    for (int from = 0; from < candidates.size(); from += Query.MOST_CANDIDATES) {
      int to = Math.min(candidates.size(), from + Query.MOST_CANDIDATES);
      List<Candidate> some = candidates.subList(from, to);
      if (find(some, plan(scheme, share, from, to), scheme, searchers, ticket, into)) {
        return true;
      }
    }
    return false;
  }

  private static boolean find(
      List<Candidate> some,
      SearchPlan plan,
      SearchScheme scheme,
      Searchers searchers,
      int ticket,
      Lookup into) {
    if (scheme == SearchScheme.ADAPTIVE && searchers.announces()) {
      AnnouncedSearch announced = new AnnouncedSearch(some, plan, searchers);
      if (announced.begin()) {
        return announced.find(into);
      }
    }
    return some.size() == 1
        ? searchOne(some.get(0), searchers, into)
        : new Query(some, plan, searchers, ticket).find(into);
  }

  private static boolean searchOne(Candidate candidate, Searchers searchers, Lookup into) {
    long start = candidate.isInMemory() ? 0 : ReadTimes.begin();
    boolean found = candidate.search(into);
    searchers.readTimes().end(start);
    searchers.counters().add(Metric.SEARCHED_SSTS, 1);
    return found;
  }

  private SearchPlan plan(SearchScheme scheme, double share, int from, int to) {
    return switch (scheme) {
      case SERIAL -> SearchPlan.twoRows(Long.SIZE); // the second row is empty
      case FIXED_COUNT -> SearchPlan.ALL;
      case PRIORITY_AWARE ->
          SearchPlan.stageAfterStage(
              stages.subList(from, to).stream().mapToInt(Integer::intValue).toArray());
      case LAST_STAGE ->
          SearchPlan.twoRows(stages.subList(from, to).indexOf(stages.get(stages.size() - 1)));
      case ADAPTIVE ->
          AdaptivePolicy.lookAhead(
              weights.subList(from, to).stream().mapToDouble(Double::doubleValue).toArray(), share);
    };
  }
}
