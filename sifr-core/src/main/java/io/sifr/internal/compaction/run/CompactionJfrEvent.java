package io.sifr.internal.compaction.run;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Trees of a stage were merged into one of the next. */
@Name("io.sifr.Compaction")
@Label("Compaction")
@Category("Sifr")
@StackTrace(false)
final class CompactionJfrEvent extends Event {
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
