package io.sifr.bench.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Finds the longest stall of a run: the longest time in which no client completed an operation. A
 * client notes its long operations; the run stalls while those of all clients overlap.
 */
public final class Stalls {
  private static final long NOTED_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private record Edge(long nanos, int change) {}

  private final List<Notes> clients = new ArrayList<>();

  /** The long operations of one client. Not thread-safe. */
  public static final class Notes {
    private final List<Edge> edges = new ArrayList<>();

    private Notes() {}

    /** Notes an operation that ran from one time to another, both by {@link System#nanoTime}. */
    public void ran(long fromNanos, long toNanos) {
      if (toNanos - fromNanos >= NOTED_NANOS) {
        edges.add(new Edge(fromNanos, 1));
        edges.add(new Edge(toNanos, -1));
      }
    }
  }

  /** Creates the notes of one more client. */
  public Notes addClient() {
    Notes notes = new Notes();
    clients.add(notes);
    return notes;
  }

  /** The longest stall in nanoseconds, 0 if none was noted. All clients must have ended. */
  public long longestNanos() {
    List<Edge> edges = new ArrayList<>();
    clients.forEach(notes -> edges.addAll(notes.edges));
    edges.sort(Comparator.comparingLong(Edge::nanos).thenComparingInt(Edge::change));
    int busy = 0;
    long since = 0;
    long longest = 0;
    for (Edge edge : edges) {
      if (busy == clients.size()) {
        longest = Math.max(longest, edge.nanos() - since);
      }
      busy += edge.change();
      if (busy == clients.size()) {
        since = edge.nanos();
      }
    }
    return longest;
  }
}
