package io.sifr.cli.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a row that are the key and the value, counted from 1.
 *
 * @param key column of the key
 * @param value column of the value, {@link #NONE} or {@link #REST}
 * @param least smallest number of columns of a row
 * @param most largest number of columns of a row
 */
record Columns(int key, int value, int least, int most) {
  /** There is no value column: values are empty. */
  static final int NONE = 0;

  /** The value is a row itself: all columns except the key. */
  static final int REST = -1;

  private static final String REST_NAME = "rest";

  /**
   * @param keyColumn number or name of the column, or null for the first
   * @param valueColumn number or name of the column, "rest", or null for the default of the format
   * @param names names of the columns, empty when they have none
   * @param restByDefault whether a row may have more than two columns by default
   */
  static Columns keysAndValues(
      @Nullable String keyColumn,
      @Nullable String valueColumn,
      List<String> names,
      boolean restByDefault) {
    int key = keyColumn == null ? 1 : number("--key-column", keyColumn, names);
    if (valueColumn == null ? restByDefault : valueColumn.equals(REST_NAME)) {
      return new Columns(key, REST, Math.max(2, key), Integer.MAX_VALUE);
    } else if (valueColumn == null) {
      if (key > 2) {
        throw new IllegalArgumentException(
            "--key-column is " + keyColumn + "; then --value-column is needed, too");
      }
      return new Columns(key, 3 - key, 2, 2);
    }
    int value = number("--value-column", valueColumn, names);
    if (value == key) {
      throw new IllegalArgumentException("key and value cannot both be in column " + key);
    }
    return new Columns(key, value, Math.max(key, value), Integer.MAX_VALUE);
  }

  /** Only keys: rows have one column, unless the key's column is given. */
  static Columns keysOnly(@Nullable String keyColumn, List<String> names) {
    if (keyColumn == null) {
      return new Columns(1, NONE, 1, 1);
    }
    int key = number("--key-column", keyColumn, names);
    return new Columns(key, NONE, key, Integer.MAX_VALUE);
  }

  private static int number(String option, String column, List<String> names) {
    int number;
    try {
      number = Integer.parseInt(column);
    } catch (NumberFormatException e) {
      number = names.indexOf(column) + 1;
    }
    if (number < 1) {
      throw new IllegalArgumentException(
          option
              + " is '"
              + column
              + "'; allowed: a number from 1"
              + (names.isEmpty() ? ", or with --header a name" : " or one of " + names));
    }
    return number;
  }

  /** What is wrong with a row of that many columns, or null when nothing is. */
  @Nullable String mistake(int columns) {
    if (columns >= least && columns <= most) {
      return null;
    }
    String has = columns == 1 ? "there is 1 column" : "there are " + columns + " columns";
    if (least < most) {
      return has + "; allowed: " + least + " or more";
    } else if (columns < least) {
      return has + "; allowed: " + least + ", key and value; --keys-only reads only keys";
    }
    return has
        + "; allowed: "
        + most
        + (value == NONE
            ? ", the key; --key-column chooses one of many"
            : ", key and value; --value-column N chooses one of many, --value-column rest takes all"
                + " except the key");
  }

  /** The column that {@link #mistake} refers to: the first missing or surplus one. */
  int mistaken(int columns) {
    return Math.min(columns, most) + 1;
  }

  /**
   * Checks that rows can be written, which is so when there are no other columns.
   *
   * @throws IllegalArgumentException when they cannot
   */
  void checkWritable() {
    if (value != REST && (key > 2 || value > 2 || (value == NONE && key > 1))) {
      throw new IllegalArgumentException(
          value == NONE
              ? "--key-column is " + key + "; allowed with --keys-only when writing: 1"
              : "key and value are in columns "
                  + key
                  + " and "
                  + value
                  + "; allowed when writing: 1 and 2, or --value-column rest");
    }
  }
}
