package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.forest.Retention;
import io.sifr.internal.wal.SegmentEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which segments of the log are retained, and for how long. It is the manifest that says
 * which are; so a recovery does not look at them, and nothing is given back before the manifest
 * says so durably. Thread-safe.
 */
public final class RetainedLog {
  private final CatalogStore catalog;
  private final LongSupplier clock;

  RetainedLog(CatalogStore catalog, LongSupplier clock) {
    this.catalog = catalog;
    this.clock = clock;
  }

  /**
   * Edits that make the log retained as the options say, or not any more.
   *
   * @param nextSequence with which its history would begin
   */
  public static List<ForestEdit> editsOfRetention(
      StoreOptions options, Catalog catalog, long nextSequence) {
    Retention chosen = chosen(options, catalog);
    LogHistory history = catalog.history();
    Retention before = history == null ? Retention.NONE : history.retention();
    return chosen.equals(before)
        ? List.of()
        : List.of(new ForestEdit.LogRetained(chosen, nextSequence));
  }

  /**
   * Edits of a recovery that retain what it has read, and say that it has left out sequence
   * numbers.
   *
   * @param read where the records of the segments end that it has read
   * @param lastUsed the last sequence number that was used for something
   * @param next the next one that will be
   */
  public static List<ForestEdit> editsOfRecovery(
      Setup setup, Catalog catalog, List<SegmentEnd> read, long lastUsed, long next) {
    LogHistory history = catalog.history();
    if (history == null) {
      return List.of();
    }
    List<ForestEdit> edits = retain(read, history, setup.now());
    edits.add(new ForestEdit.EventRecorded(new LogEvent.Skipped(lastUsed + 1, next)));
    return edits;
  }

  /**
   * How much is to be retained: what the options say; if they say nothing, what was retained when
   * the store was last open, so that a tool that opens it takes nothing away. In any case what SSTs
   * need that may be lost.
   */
  static Retention chosen(StoreOptions options, Catalog catalog) {
    Retention wanted = wanted(options, catalog);
    if (!wanted.isNone() && !wanted.equals(Retention.FOR_SSTS)) {
      return wanted;
    }
    boolean mayBeLost = options.fastDirectory().isPresent() && options.fastIsVolatile();
    return mayBeLost || catalog.firstLogged() != LogicalTree.NOT_LOGGED
        ? Retention.FOR_SSTS
        : Retention.NONE;
  }

  private static Retention wanted(StoreOptions options, Catalog catalog) {
    if (options.retainedLogBytes().isEmpty() && options.retainedLogSeconds().isEmpty()) {
      LogHistory history = catalog.history();
      return history == null ? Retention.NONE : history.retention();
    }
    return new Retention(
        options.retainedLogBytes().orElse(0), options.retainedLogSeconds().orElse(0));
  }

  /** What is retained; null when nothing is. */
  @Nullable LogHistory history() {
    return catalog.catalog().history();
  }

  /** Edits with which the history begins anew, if there is one. */
  List<ForestEdit> beginAnew(long nextSequence) {
    LogHistory history = history();
    return history == null
        ? List.of()
        : List.of(
            new ForestEdit.LogRetained(Retention.NONE, nextSequence),
            new ForestEdit.LogRetained(history.retention(), nextSequence));
  }

  /** Edits that retain segments, as far as they have something that is to be retained. */
  List<ForestEdit> retain(List<SegmentEnd> ends) {
    LogHistory history = history();
    if (history == null) {
      return List.of();
    }
    return retain(ends, history, clock.getAsLong());
  }

  static List<ForestEdit> retain(List<SegmentEnd> ends, LogHistory history, long now) {
    List<ForestEdit> edits = new ArrayList<>();
    long before = history.firstSequence();
    for (SegmentEnd end : ends) {
      // One whose records are older than the history, or that has none, is not needed.
      if (end.nextSequence() > before && history.segmentAfter(end.segment() - 1).isEmpty()) {
        edits.add(
            new ForestEdit.SegmentRetained(
                new LogHistory.Segment(
                    end.segment(),
                    end.bytes(),
                    end.records(),
                    end.nextSequence(),
                    Math.max(0, now))));
        before = end.nextSequence();
      }
    }
    return edits;
  }

  /** The segments that are beyond what is to be retained now, oldest first. */
  List<LogHistory.Segment> due() {
    return notLogged(dueByLimits());
  }

  /** Those of the oldest segments that have nothing of what SSTs have that may be lost. */
  private List<LogHistory.Segment> notLogged(List<LogHistory.Segment> oldest) {
    if (oldest.isEmpty()) {
      return oldest;
    }
    long first = catalog.catalog().firstLogged();
    return oldest.stream().takeWhile(segment -> segment.nextSequence() <= first).toList();
  }

  /**
   * The sequence number of which SSTs that may be lost should have nothing older any more, since
   * too much of the log is retained for them; 0 if it is not too much.
   *
   * @param mostBytes how much may be retained for them
   */
  long homeBefore(long mostBytes) {
    List<LogHistory.Segment> due = dueByLimits();
    long bytes = due.stream().mapToLong(LogHistory.Segment::bytes).sum();
    long before = 0;
    for (int i = 0; bytes > mostBytes; i++) {
      bytes -= due.get(i).bytes();
      before = due.get(i).nextSequence();
    }
    return before;
  }

  private List<LogHistory.Segment> dueByLimits() {
    LogHistory history = history();
    if (history == null) {
      return List.of();
    }
    Retention retention = history.retention();
    long oldest =
        retention.seconds() == 0 ? Long.MIN_VALUE : clock.getAsLong() - 1000 * retention.seconds();
    long bytes = history.bytes();
    int count = 0;
    List<LogHistory.Segment> segments = history.segments();
    while (count < segments.size()
        && ((retention.bytes() > 0 && bytes > retention.bytes())
            || segments.get(count).time() < oldest)) {
      bytes -= segments.get(count).bytes();
      count++;
    }
    return segments.subList(0, count);
  }

  /** The oldest segments, as many as have that many bytes together, or all. */
  List<LogHistory.Segment> oldest(long bytes) {
    LogHistory history = history();
    if (history == null) {
      return List.of();
    }
    List<LogHistory.Segment> segments = history.segments();
    int count = 0;
    for (long left = bytes; left > 0 && count < segments.size(); count++) {
      left -= segments.get(count).bytes();
    }
    return notLogged(segments.subList(0, count));
  }

  /** Makes the manifest say that segments, the oldest ones, are not retained any more. */
  void giveBack(List<LogHistory.Segment> segments) {
    if (!segments.isEmpty()) {
      long last = segments.get(segments.size() - 1).number();
      catalog.commit(List.of(new ForestEdit.SegmentsGivenBack(last + 1)));
    }
  }
}
