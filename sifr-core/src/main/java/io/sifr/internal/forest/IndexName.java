package io.sifr.internal.forest;

/**
 * The names of the databases in which a store keeps indexes: database and index, with a character
 * between them that no other name may contain. So nobody can create, drop or open one by hand.
 */
public final class IndexName {
  /** The unit separator of ASCII. */
  private static final char SEPARATOR = 0x1f;

  private IndexName() {}

  /** The name of the database with the entries of an index. */
  public static String of(String database, String index) {
    return database + SEPARATOR + index;
  }

  /** Whether a database holds the entries of an index. */
  public static boolean isOne(String name) {
    return name.indexOf(SEPARATOR) >= 0;
  }

  /** The database that the index is of. */
  public static String databaseOf(String name) {
    return name.substring(0, name.indexOf(SEPARATOR));
  }

  /** The index. */
  public static String indexOf(String name) {
    return name.substring(name.indexOf(SEPARATOR) + 1);
  }

  /** A name of any database for people. */
  public static String text(String name) {
    return isOne(name) ? "index " + indexOf(name) + " of " + databaseOf(name) : name;
  }
}
