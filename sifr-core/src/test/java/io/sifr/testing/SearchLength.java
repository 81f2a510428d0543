package io.sifr.testing;

/**
 * How long searches are that are not told so by a property of their own: short in each build, and
 * longer with {@code -Dsifr.search.long=true}, as {@code .ci/run} has them before a change is
 * merged.
 */
public final class SearchLength {
  private static final boolean LONG = Boolean.getBoolean("sifr.search.long");

  private SearchLength() {}

  /** The one or the other. */
  public static int of(int shortSearch, int longSearch) {
    return LONG ? longSearch : shortSearch;
  }
}
