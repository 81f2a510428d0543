package io.sifr.cli;

import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the gets of a command search. */
final class SearchMixin {
  @Option(
      names = "--search-scheme",
      paramLabel = "SCHEME",
      description = "Which SSTs a get searches at once: ${COMPLETION-CANDIDATES}.")
  private @Nullable SearchScheme searchScheme;

  @Option(
      names = "--search-threads",
      paramLabel = "N",
      description = "Threads that search beside the one that asks.")
  private @Nullable Integer searchThreads;

  /** Adds the settings that were given. */
  StoreOptions.Builder addTo(StoreOptions.Builder options) {
    if (searchScheme != null) {
      options.searchScheme(searchScheme);
    }
    if (searchThreads != null) {
      options.searchThreads(searchThreads);
    }
    return options;
  }
}
