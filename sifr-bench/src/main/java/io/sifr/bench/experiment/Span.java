package io.sifr.bench.experiment;

import io.sifr.bench.workload.KeySpace;
import io.sifr.event.StoreListener.CompactionEvent;
import io.sifr.event.StoreListener.Keys;

/**
 * The keys of a compaction, in percent of the key space.
 *
 * @param begin where they begin
 * @param end where they end
 */
record Span(double begin, double end) {
  /** That of a compaction; empty if nothing was left to it. */
  static Span of(CompactionEvent event, KeySpace space) {
    Keys keys = event.inputs().keys();
    if (keys == null) {
      return new Span(0, 0);
    }
    byte[] above = keys.above();
    byte[] last = keys.last();
    return new Span(
        above == null ? 0 : 100 * space.part(above), last == null ? 100 : 100 * space.part(last));
  }

  double width() {
    return end - begin;
  }
}
