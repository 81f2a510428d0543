package io.sifr.bench.store;

import io.sifr.config.Compression;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import java.util.Map;
import java.util.OptionalInt;

/** Terms that every store can keep, but for their durability, and deviations from them. */
final class TestTerms {
  /** More than any test stores. */
  static final long EXPECTED_BYTES = 64 << 20;

  private TestTerms() {}

  /** With a write buffer so small that a few thousand entries cause flushes and merges. */
  static Terms with(Durability durability) {
    return Terms.plain(durability, 64 << 10, 1 << 20);
  }

  /** That demand the term, and one durability if it is none. */
  static Terms demanding(Term term, Durability durability) {
    Terms plain =
        with(
            switch (term) {
              case DURABILITY_NONE -> Durability.NONE;
              case DURABILITY_BUFFERED -> Durability.BUFFERED;
              case DURABILITY_SYNC -> Durability.SYNC;
              default -> durability;
            });
    return new Terms(
        plain.durability(),
        plain.writeBufferBytes(),
        plain.cacheBytes(),
        term == Term.BLOOM,
        term == Term.DIRECT_READS,
        term == Term.SEARCH ? SearchScheme.PRIORITY_AWARE : SearchScheme.SERIAL,
        term == Term.SEARCH ? 2 : 1,
        term == Term.GROWTH_FACTOR ? OptionalInt.of(6) : OptionalInt.empty(),
        term == Term.COMPRESSION ? Compression.LZ4 : Compression.NONE,
        term == Term.SETTINGS ? Map.of("compactionThreads", "1") : Map.of());
  }

  /** The term that a durability is. */
  static Term termOf(Durability durability) {
    return switch (durability) {
      case NONE -> Term.DURABILITY_NONE;
      case BUFFERED -> Term.DURABILITY_BUFFERED;
      case SYNC -> Term.DURABILITY_SYNC;
    };
  }
}
