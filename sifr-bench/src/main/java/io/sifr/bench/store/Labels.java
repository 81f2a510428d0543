package io.sifr.bench.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The names that constants have on the command line and in results: {@code ycsb-a}. */
public final class Labels {
  private Labels() {}

  /** The label of a constant. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The constant of a label.
   *
   * @param refusal beginning of the message when there is none; the known labels follow
   * @throws IllegalArgumentException when there is none
   */
  public static <E extends Enum<E>> E find(Class<E> type, String label, String refusal) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> of(constant).equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    refusal + "; allowed: " + String.join(", ", all(type))));
  }

  /** The labels of all constants. */
  public static List<String> all(Class<? extends Enum<?>> type) {
    return Arrays.stream(type.getEnumConstants()).map(Labels::of).toList();
  }
}
