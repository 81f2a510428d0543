package io.sifr.internal.background;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * The events of flushes and compactions in a flight recording. The duration of a flush is that of
 * its event; a compaction has its duration in a field.
 */
final class JfrEvents {
  private JfrEvents() {}

  /** A write buffer was flushed to a tree of stage 1. */
  @Name("io.sifr.Flush")
  @Label("Flush")
  @Category("Sifr")
  @StackTrace(false)
  static final class Flush extends Event {
    @Label("Database")
    String database = "";

    @Label("Entries")
    long entries;

    @Label("SSTs written")
    int ssts;

    @Label("Bytes written")
    @DataAmount
    long bytes;
  }

  /** Trees of a stage were merged into one of the next. */
  @Name("io.sifr.Compaction")
  @Label("Compaction")
  @Category("Sifr")
  @StackTrace(false)
  static final class Compaction extends Event {
    @Label("Database")
    String database = "";

    @Label("Reason")
    String reason = "";

    @Label("Source stage")
    int sourceStage;

    @Label("Input SSTs")
    int inputSsts;

    @Label("SSTs written")
    int writtenSsts;

    @Label("Bytes written")
    @DataAmount
    long writtenBytes;

    @Label("SSTs moved")
    int movedSsts;

    @Label("Bytes moved")
    @DataAmount
    long movedBytes;

    @Label("Time")
    @Timespan(Timespan.NANOSECONDS)
    long nanos;
  }
}
