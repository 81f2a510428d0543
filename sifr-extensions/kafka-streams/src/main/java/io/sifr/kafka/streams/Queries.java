package io.sifr.kafka.streams;

import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.query.FailureReason;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;

/**
 * Answers queries to a store, of the kinds that it knows.
 *
 * @param answers by the class of the query
 */
record Queries(Map<Class<?>, Function<Query<?>, QueryResult<?>>> answers) {
  /** The result of a query, or why there is none. */
  <R> QueryResult<R> answer(
      Query<R> query,
      PositionBound bound,
      QueryConfig config,
      StateStore store,
      Position position,
      int partition) {
    long start = config.isCollectExecutionInfo() ? System.nanoTime() : 0;
    QueryResult<R> result = result(query, bound, store, position, partition);
    if (config.isCollectExecutionInfo()) {
      result.addExecutionInfo(
          "Handled in " + store.getClass() + " in " + (System.nanoTime() - start) + "ns");
    }
    result.setPosition(position.copy());
    return result;
  }

  @SuppressWarnings("unchecked") // The class of a query says what its result is.
  private <R> QueryResult<R> result(
      Query<R> query, PositionBound bound, StateStore store, Position position, int partition) {
    Function<Query<?>, QueryResult<?>> answer = answers.get(query.getClass());
    if (answer == null) {
      return QueryResult.forUnknownQueryType(query, store);
    }
    if (!hasReached(position, bound.position(), partition)) {
      return QueryResult.notUpToBound(position, bound, partition);
    }
    try {
      return (QueryResult<R>) answer.apply(query);
    } catch (InvalidStateStoreException e) {
      return QueryResult.forFailure(FailureReason.STORE_EXCEPTION, e.toString());
    }
  }

  /** For a query of a known kind that lacks what this store needs. */
  static <R> QueryResult<R> unknown(String why) {
    return QueryResult.forFailure(FailureReason.UNKNOWN_QUERY_TYPE, why);
  }

  private static boolean hasReached(Position position, Position bound, int partition) {
    for (String topic : bound.getTopics()) {
      Long needed = bound.getPartitionPositions(topic).get(partition);
      if (needed != null) {
        Long reached = position.getPartitionPositions(topic).get(partition);
        if (reached == null || reached < needed) {
          return false;
        }
      }
    }
    return true;
  }
}
