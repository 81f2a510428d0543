package io.sifr.internal.engine.read;

import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.StoreView;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A get that has found nothing in memory and continues on a search thread. It keeps the view it
 * began with, and is inside the read epoch from its call on: the sources it has still to search
 * stay, however long it waits for a thread.
 *
 * <p>The future is completed after the epoch. What the user has attached to it runs in the search
 * thread, and may take long, or close the store.
 *
 * @param <T> the type of the result
 */
final class AsyncGet<T extends @Nullable Object> implements Searchers.Search {
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private final DatabaseHandle database;
  private final PointSearch search;
  private final StoreView view;
  private final int source;
  private final Lookup lookup;
  private final SearchScheme scheme;
  private final Function<byte @Nullable [], T> result;

  // written by the search thread, in the epoch; used by it after the epoch
  private byte @Nullable [] value;
  private @Nullable Throwable failure;

  /**
   * @param source the first source of the view that was not searched
   * @param lookup owned by this get, with its key
   * @param result makes the result of the value, or of null when there is none
   */
  AsyncGet(
      DatabaseHandle database,
      PointSearch search,
      StoreView view,
      int source,
      Lookup lookup,
      SearchScheme scheme,
      Function<byte @Nullable [], T> result) {
    this.database = database;
    this.search = search;
    this.view = view;
    this.source = source;
    this.lookup = lookup;
    this.scheme = scheme;
    this.result = result;
  }

  /**
   * Continues it on a search thread.
   *
   * @param ticket the caller's, which is inside the epoch
   */
  CompletableFuture<T> handOver(int ticket) {
    if (!search.handOver(this, ticket)) {
      future.completeExceptionally(
          new RejectedExecutionException("no search thread can be started for the get"));
    }
    return future;
  }

  @Override
  public void run(int ticket) {
    if (future.isDone()) {
      return; // cancelled
    }
    try {
      database.checkReadable();
      boolean isFound = search.findFrom(source, scheme, view, lookup, ticket);
      value = isFound && !lookup.isTombstone() ? lookup.copy() : null;
    } catch (Throwable e) {
      failure = e;
    } finally {
      lookup.release();
    }
  }

  @Override
  public void left() {
    database.wastedReads().sample(lookup);
    if (failure != null) {
      future.completeExceptionally(failure);
    } else {
      future.complete(result.apply(value));
    }
  }
}
