package io.sifr.bench.store;

import com.google.common.collect.ImmutableSet;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** The stores that can be measured. */
public enum StoreKind {
  /** This project's own. */
  SIFR(
      "sifr",
      Term.WRITE_BUFFER,
      Term.GROWTH_FACTOR,
      Term.DURABILITY_NONE,
      Term.DURABILITY_BUFFERED,
      Term.DURABILITY_SYNC);

  private final String label;
  private final ImmutableSet<Term> terms;

  StoreKind(String label, Term... terms) {
    this.label = label;
    this.terms = ImmutableSet.copyOf(terms);
  }

  /** Its name on the command line and in results. */
  public String label() {
    return label;
  }

  /** Whether it can be held to a term. */
  public boolean supports(Term term) {
    return terms.contains(term);
  }

  /**
   * Opens a store in a directory that exists, created if that is empty.
   *
   * @throws IllegalArgumentException when it cannot keep the terms; the message names them
   */
  public BenchStore open(Path directory, Terms demanded) {
    checkTerms(demanded);
    return switch (this) {
      case SIFR -> SifrStore.open(directory, demanded);
    };
  }

  /**
   * Checks that it can keep the terms.
   *
   * @throws IllegalArgumentException when it cannot; the message names those it cannot keep
   */
  public void checkTerms(Terms demanded) {
    Set<Term> missing = demanded.demands();
    missing.removeAll(terms);
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          label
              + " cannot be held to "
              + missing.stream().map(Term::label).collect(Collectors.joining(", ")));
    }
  }

  /**
   * The kind of that name.
   *
   * @throws IllegalArgumentException when there is none; the message lists the names
   */
  public static StoreKind of(String label) {
    return Arrays.stream(values())
        .filter(kind -> kind.label.equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no store named "
                        + label
                        + "; allowed: "
                        + Arrays.stream(values())
                            .map(StoreKind::label)
                            .collect(Collectors.joining(", "))));
  }
}
