package io.sifr.bench.store;

import io.sifr.config.Compression;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * The settings with which a store is opened, the same for all stores of a comparison.
 *
 * @param durability what a write survives once it has returned
 * @param writeBufferBytes bytes of writes collected in memory before they are sorted into a table
 * @param cacheBytes bytes of the store's own cache of blocks or pages
 * @param bloom whether tables have Bloom filters, of ten bits a key
 * @param directReads whether reads bypass the page cache, and writes of flushes and compactions as
 *     well
 * @param search how the sorted runs are searched
 * @param searchThreads threads a search may use; 1 for {@link SearchScheme#SERIAL}
 * @param growthFactor size ratio of one stage or level to the previous one; the store's default if
 *     empty
 * @param compression the codec that makes blocks smaller
 * @param settings further settings of Sifr's store, by name; they override those derived from the
 *     terms
 */
@RecordBuilder
public record Terms(
    Durability durability,
    long writeBufferBytes,
    long cacheBytes,
    boolean bloom,
    boolean directReads,
    SearchScheme search,
    int searchThreads,
    OptionalInt growthFactor,
    Compression compression,
    Map<String, String> settings)
    implements TermsBuilder.With {

  /** Checks the settings. */
  public Terms {
    settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
    settings.forEach(StoreOptions.builder()::set);
  }

  /** The name of a search scheme in reports: that of the papers, if they have one. */
  public static String inReports(SearchScheme scheme) {
    return switch (scheme) {
      case SERIAL -> "serial";
      case FIXED_COUNT -> "FC";
      case PRIORITY_AWARE -> "PA";
      case LAST_STAGE -> "last stage beside the others";
      case ADAPTIVE -> "adaptive";
    };
  }

  /** Terms with defaults for everything but durability. */
  public static Terms plain(Durability durability, long writeBufferBytes, long cacheBytes) {
    return new Terms(
        durability,
        writeBufferBytes,
        cacheBytes,
        false,
        false,
        SearchScheme.SERIAL,
        1,
        OptionalInt.empty(),
        Compression.NONE,
        Map.of());
  }

  /** The same with reads that bypass the page cache, into a cache of that size. */
  public Terms withDirectReads(long ofCacheBytes) {
    return withDirectReads(true).withCacheBytes(ofCacheBytes);
  }

  /** The same with the sorted runs searched in another way. */
  public Terms withSearch(SearchScheme value, int threads) {
    return withSearch(value).withSearchThreads(threads);
  }

  /** The same with one more setting that only Sifr has. */
  public Terms withSetting(String name, String value) {
    Map<String, String> more = new TreeMap<>(settings);
    more.put(name, value);
    return withSettings(more);
  }

  /** The same without the terms a store cannot meet; durability is never lowered. */
  public Terms keptBy(StoreKind store) {
    boolean searches = store.supports(Term.SEARCH);
    return new Terms(
        durability,
        writeBufferBytes,
        cacheBytes,
        bloom && store.supports(Term.BLOOM),
        directReads && store.supports(Term.DIRECT_READS),
        searches ? search : SearchScheme.SERIAL,
        searches ? searchThreads : 1,
        store.supports(Term.GROWTH_FACTOR) ? growthFactor : OptionalInt.empty(),
        store.supports(Term.COMPRESSION) ? compression : Compression.NONE,
        store.supports(Term.SETTINGS) ? settings : Map.of());
  }

  /**
   * The terms that a store must be able to meet, which are those that not every store meets anyway.
   */
  public Set<Term> demands() {
    EnumSet<Term> demands =
        EnumSet.of(
            switch (durability) {
              case NONE -> Term.DURABILITY_NONE;
              case BUFFERED -> Term.DURABILITY_BUFFERED;
              case SYNC -> Term.DURABILITY_SYNC;
            });
    if (bloom) {
      demands.add(Term.BLOOM);
    }
    if (directReads) {
      demands.add(Term.DIRECT_READS);
    }
    if (search != SearchScheme.SERIAL) {
      demands.add(Term.SEARCH);
    }
    if (growthFactor.isPresent()) {
      demands.add(Term.GROWTH_FACTOR);
    }
    if (compression != Compression.NONE) {
      demands.add(Term.COMPRESSION);
    }
    if (!settings.isEmpty()) {
      demands.add(Term.SETTINGS);
    }
    return demands;
  }
}
