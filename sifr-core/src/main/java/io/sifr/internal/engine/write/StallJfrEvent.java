package io.sifr.internal.engine.write;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Shows in a flight recording that a writer was held back; committed at the end of the pause. */
@Name("io.sifr.Stall")
@Label("Stall")
@Category("Sifr")
final class StallJfrEvent extends Event {
  @Label("Database")
  String database = "";

  @Label("Nanoseconds held back")
  long nanos;
}
