package io.sifr.internal.background;

import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The write buffers that wait to be flushed, as far as they can be. Writers look at it under the
 * write lock, so it goes over the databases a fixed number of times, however many buffers wait.
 * Thread-safe.
 */
final class FlushQueue {
  private static final Comparator<FlushRun.Waiting> OLDEST =
      Comparator.comparingLong(waiting -> waiting.buffer().memtable().maxSequence());

  private final Supplier<Collection<DatabaseHandle>> databases;

  FlushQueue(Supplier<Collection<DatabaseHandle>> databases) {
    this.databases = databases;
  }

  /** Whether buffers wait. */
  boolean isDue() {
    return oldest().findFirst().isPresent();
  }

  /** The oldest buffer of each database that waits. */
  private Stream<FlushRun.Waiting> oldest() {
    return databases.get().stream()
        .filter(database -> !database.isDropped())
        .flatMap(
            database -> {
              List<WriteBuffer> immutables = database.view().get().immutables();
              return immutables.stream()
                  .skip(Math.max(0, immutables.size() - 1))
                  .map(buffer -> new FlushRun.Waiting(database, buffer));
            });
  }

  /**
   * The buffers that can be flushed now, those that are flushed in one step together; those with
   * the oldest writes first. One that follows another buffer of its database waits for it, and so
   * do its companions.
   */
  List<List<FlushRun.Waiting>> ready() {
    List<List<FlushRun.Waiting>> groups = new ArrayList<>();
    IdentityHashMap<Set<WriteBuffer>, List<FlushRun.Waiting>> tied = new IdentityHashMap<>();
    oldest()
        .sorted(OLDEST)
        .forEach(
            each -> {
              Set<WriteBuffer> companions = each.buffer().companions();
              if (companions.isEmpty()) {
                groups.add(List.of(each));
              } else {
                // They share one set, which does not change any more.
                tied.computeIfAbsent(companions, first -> addTo(groups)).add(each);
              }
            });
    if (!tied.isEmpty()) {
      Set<WriteBuffer> present = present();
      groups.removeIf(group -> !isWhole(group, present));
    }
    return groups;
  }

  private static List<FlushRun.Waiting> addTo(List<List<FlushRun.Waiting>> groups) {
    List<FlushRun.Waiting> group = new ArrayList<>();
    groups.add(group);
    return group;
  }

  private static boolean isWhole(List<FlushRun.Waiting> group, Set<WriteBuffer> present) {
    Set<WriteBuffer> companions = group.get(0).buffer().companions();
    return companions.isEmpty()
        || group.size() == companions.stream().filter(present::contains).count();
  }

  /**
   * The buffers that there are: not those of databases that were dropped. One that is being dropped
   * still counts, though nothing flushes it: a crash may restore it.
   */
  private Set<WriteBuffer> present() {
    Set<WriteBuffer> present = new HashSet<>();
    databases.get().stream()
        .map(database -> database.view().get())
        .forEach(
            view -> {
              present.add(view.active());
              present.addAll(view.immutables());
            });
    return present;
  }
}
