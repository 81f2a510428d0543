package io.sifr.internal.forest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The part of the log that is retained although no recovery needs it: complete segments, oldest
 * first, and the events beside the log. From its first sequence number on, every change of the
 * store is in these segments, in those a recovery needs, or among the events. Immutable; safe for
 * any thread.
 */
public final class LogHistory {
  /**
   * A segment that is retained.
   *
   * @param number its number
   * @param bytes size of its file
   * @param end offset at which its records end; a seal may follow, which nobody needs
   * @param nextSequence the smallest sequence number that may follow them
   * @param time since when it is retained, in milliseconds since the epoch
   */
  public record Segment(long number, long bytes, int end, long nextSequence, long time) {}

  private final Retention retention;
  private final long firstSequence;
  private final List<Segment> segments;
  private final List<LogEvent> events;

  private LogHistory(
      Retention retention, long firstSequence, List<Segment> segments, List<LogEvent> events) {
    this.retention = retention;
    this.firstSequence = firstSequence;
    this.segments = segments;
    this.events = events;
  }

  /** One that begins with that sequence number. */
  static LogHistory from(long firstSequence, Retention retention) {
    return new LogHistory(retention, firstSequence, List.of(), List.of());
  }

  /** How much is retained. */
  public Retention retention() {
    return retention;
  }

  /** The first sequence number that it has. */
  public long firstSequence() {
    return firstSequence;
  }

  /** The segments, oldest first. */
  public List<Segment> segments() {
    return segments;
  }

  /** The events by their sequence numbers. */
  public List<LogEvent> events() {
    return events;
  }

  /** Bytes of all segments. */
  public long bytes() {
    return segments.stream().mapToLong(Segment::bytes).sum();
  }

  public Optional<Segment> segment(long number) {
    int at = firstIndexFrom(number);
    return at < segments.size() && segments.get(at).number() == number
        ? Optional.of(segments.get(at))
        : Optional.empty();
  }

  /** The first segment with a larger number. */
  public Optional<Segment> segmentAfter(long number) {
    int at = firstIndexFrom(number + 1);
    return at < segments.size() ? Optional.of(segments.get(at)) : Optional.empty();
  }

  /** The first segment whose records do not end before that sequence number. */
  public Optional<Segment> segmentOf(long sequence) {
    int at = firstIndex(segments, segment -> segment.nextSequence() > sequence);
    return at < segments.size() ? Optional.of(segments.get(at)) : Optional.empty();
  }

  private int firstIndexFrom(long number) {
    return firstIndex(segments, segment -> segment.number() >= number);
  }

  /** Index of the first that has a property which all after it have, too. */
  private static <T> int firstIndex(List<T> ascending, Predicate<T> property) {
    int low = 0;
    int high = ascending.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (property.test(ascending.get(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The events to which a sequence number belongs: none, one, or the parts of an ingest. */
  public List<LogEvent> eventsAt(long sequence) {
    int end = firstIndex(events, event -> event.sequence() > sequence);
    int begin = end;
    while (begin > 0 && events.get(begin - 1).next() > sequence) {
      begin--;
    }
    return events.subList(begin, end);
  }

  /** Name of a database that was created, altered or dropped; null if there was no such event. */
  public @Nullable String nameOf(int databaseId) {
    for (LogEvent event : events) {
      if (event instanceof LogEvent.Created created && created.databaseId() == databaseId) {
        return created.name();
      } else if (event instanceof LogEvent.Dropped dropped && dropped.databaseId() == databaseId) {
        return dropped.name();
      }
    }
    return null;
  }

  LogHistory with(Retention changed) {
    return new LogHistory(changed, firstSequence, segments, events);
  }

  /**
   * Retains one more segment.
   *
   * @throws IllegalArgumentException when it does not follow the others
   */
  LogHistory with(Segment segment) {
    if (!segments.isEmpty()) {
      Segment last = segments.get(segments.size() - 1);
      if (segment.number() <= last.number() || segment.nextSequence() < last.nextSequence()) {
        throw new IllegalArgumentException("log " + segment + " cannot follow " + last);
      }
    }
    List<Segment> changed = new ArrayList<>(segments);
    changed.add(segment);
    return new LogHistory(retention, firstSequence, List.copyOf(changed), events);
  }

  /**
   * Adds an event.
   *
   * @throws IllegalArgumentException when it is older than another
   */
  LogHistory with(LogEvent event) {
    long last = events.isEmpty() ? 0 : events.get(events.size() - 1).sequence();
    if (event.sequence() < last || event.next() <= event.sequence()) {
      throw new IllegalArgumentException(event + " cannot follow one of sequence number " + last);
    }
    List<LogEvent> changed = new ArrayList<>(events);
    changed.add(event);
    return new LogHistory(retention, firstSequence, segments, List.copyOf(changed));
  }

  /** Without the segments before the one with that number, and the events before their end. */
  LogHistory withoutBefore(long number) {
    int at = firstIndexFrom(number);
    if (at == 0) {
      return this;
    }
    long first = Math.max(firstSequence, segments.get(at - 1).nextSequence());
    return new LogHistory(
        retention,
        first,
        segments.subList(at, segments.size()).stream().toList(),
        events.stream().filter(event -> event.next() > first).toList());
  }
}
