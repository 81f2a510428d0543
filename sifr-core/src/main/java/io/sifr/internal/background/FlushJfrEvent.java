package io.sifr.internal.background;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A write buffer was flushed to a tree of stage 1. */
@Name("io.sifr.Flush")
@Label("Flush")
@Category("Sifr")
@StackTrace(false)
final class FlushJfrEvent extends Event {
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
