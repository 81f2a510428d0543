package io.sifr.ycsb;

import io.sifr.config.Durability;
import io.sifr.config.FilterMode;
import io.sifr.config.LogAccess;
import io.sifr.config.MergeTrigger;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A property for each setting of {@link StoreOptions}, which says what it means, its range and its
 * default. Names follow from the settings': lower case, without a unit at the end. Sizes are in
 * bytes or carry k, m or g (powers of 1024).
 */
enum StoreSetting {
  CREATE_IF_MISSING("createifmissing", (builder, value) -> builder.createIfMissing(bool(value))),
  OPEN_IF_DAMAGED("openifdamaged", (builder, value) -> builder.openIfDamaged(bool(value))),
  DURABILITY(
      "durability", (builder, value) -> builder.durability(constant(Durability.class, value))),
  WRITE_BUFFER("writebuffer", (builder, value) -> builder.writeBufferBytes(bytes(value))),
  MAX_IMMUTABLE_MEMTABLES(
      "maximmutablememtables", (builder, value) -> builder.maxImmutableMemtables(count(value))),
  SPLIT_UNIT("splitunit", (builder, value) -> builder.splitUnitBytes(bytes(value))),
  GROWTH_FACTOR("growthfactor", (builder, value) -> builder.growthFactor(count(value))),
  MERGE_TRIGGER(
      "mergetrigger",
      (builder, value) -> builder.mergeTrigger(constant(MergeTrigger.class, value))),
  LOG_ACCESS("logaccess", (builder, value) -> builder.logAccess(constant(LogAccess.class, value))),
  LOG_SEGMENT(
      "logsegment", (builder, value) -> builder.logSegmentBytes(Math.toIntExact(bytes(value)))),
  MAX_LOG("maxlog", (builder, value) -> builder.maxLogBytes(bytes(value))),
  KEPT_LOG("keptlog", (builder, value) -> builder.keptLogBytes(bytes(value))),
  READ_MODE("readmode", (builder, value) -> builder.readMode(constant(ReadMode.class, value))),
  BLOCK_CACHE("blockcache", (builder, value) -> builder.blockCacheBytes(bytes(value))),
  MAX_OPEN_SSTS("maxopenssts", (builder, value) -> builder.maxOpenSsts(count(value))),
  MERGE_THREADS("mergethreads", (builder, value) -> builder.mergeThreads(count(value))),
  EARLY_CLEANING("earlycleaning", (builder, value) -> builder.earlyCleaning(bool(value))),
  CLEANING_THRESHOLD(
      "cleaningthreshold", (builder, value) -> builder.cleaningThreshold(count(value))),
  SEARCH_SCHEME(
      "searchscheme",
      (builder, value) -> builder.searchScheme(constant(SearchScheme.class, value))),
  SEARCH_THREADS("searchthreads", (builder, value) -> builder.searchThreads(count(value))),
  FILTER_MODE(
      "filtermode", (builder, value) -> builder.filterMode(constant(FilterMode.class, value))),
  FILTER_BITS_PER_KEY(
      "filterbitsperkey", (builder, value) -> builder.filterBitsPerKey(count(value))),
  FILTER_CACHE("filtercache", (builder, value) -> builder.filterCacheBytes(bytes(value)));

  private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmg]?)");

  private final String property;

  @SuppressWarnings("ImmutableEnumChecker") // the functions capture nothing
  private final BiFunction<StoreOptions.Builder, String, StoreOptions.Builder> setter;

  StoreSetting(String name, BiFunction<StoreOptions.Builder, String, StoreOptions.Builder> setter) {
    this.property = StoreProperties.PREFIX + name;
    this.setter = setter;
  }

  /** Name of the property. */
  String property() {
    return property;
  }

  /**
   * The setting whose property has that name.
   *
   * @throws IllegalArgumentException when there is none; the message names those there are
   */
  static StoreSetting named(String property) {
    return Arrays.stream(values())
        .filter(setting -> setting.property.equals(property))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "property "
                        + property
                        + " is unknown; known: "
                        + StoreProperties.DIRECTORY
                        + ", "
                        + Arrays.stream(values())
                            .map(StoreSetting::property)
                            .collect(Collectors.joining(", "))));
  }

  /**
   * Sets it.
   *
   * @throws IllegalArgumentException when the value is not one of this setting; the message names
   *     the property, the value and what is allowed
   */
  StoreOptions.Builder applyTo(StoreOptions.Builder builder, String value) {
    try {
      return setter.apply(builder, value);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "property " + property + "=" + value + ": " + e.getMessage(), e);
    }
  }

  private static boolean bool(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("allowed: true, false");
    };
  }

  private static int count(String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a whole number", e);
    }
  }

  private static long bytes(String value) {
    Matcher size = SIZE.matcher(value.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new IllegalArgumentException("not a size; write 16777216, 16384k or 16m");
    }
    long factor =
        switch (size.group(2)) {
          case "k" -> 1L << 10;
          case "m" -> 1L << 20;
          case "g" -> 1L << 30;
          default -> 1;
        };
    return Math.multiplyExact(Long.parseLong(size.group(1)), factor);
  }

  private static <T extends Enum<T>> T constant(Class<T> type, String value) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> constant.name().equalsIgnoreCase(value))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "allowed: "
                        + Arrays.stream(type.getEnumConstants())
                            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "))));
  }
}
