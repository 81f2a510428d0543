#!/bin/bash
# micrometer-tracing-test: a span that is ended at a given time ends a thousand times as late, in the year 57000 or so.
#
# Guess: Span.end(time, unit) of SimpleTracer gives the span that end, as it does in OpenTelemetry and Brave; so a test of code that
# records spans afterwards, with their real times, may look at start and end.
# So it is: the time of the start is the one given, that of the end is taken for milliseconds after it was turned into microseconds.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars io.micrometer:micrometer-tracing-test:1.7.2 org.slf4j:slf4j-nop:2.0.17
cat >Ends.java <<'END_OF_JAVA'
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

public class Ends {
  public static void main(String[] args) {
    SimpleTracer tracer = new SimpleTracer();
    Instant begin = Instant.parse("2026-01-01T00:00:00Z");
    SimpleSpan span = (SimpleSpan) tracer.spanBuilder().name("recorded").startTimestamp(begin.toEpochMilli(), TimeUnit.MILLISECONDS).start();
    span.end(begin.plusSeconds(1).toEpochMilli(), TimeUnit.MILLISECONDS);
    System.out.println("SEEN start " + span.getStartTimestamp());
    System.out.println("SEEN end " + span.getEndTimestamp());
  }
}
END_OF_JAVA
seen=$(run_java Ends.java | grep '^SEEN' | sed 's/^SEEN //')
same "SimpleSpan" "start 2026-01-01T00:00:00Z
end +57971-02-25T00:16:40Z" "$seen"
