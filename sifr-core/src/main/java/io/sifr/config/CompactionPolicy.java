package io.sifr.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which trees are compacted or dropped, and so how many sorted runs there are to search,
 * how often data is rewritten, and how much space obsolete data takes. A directory can be opened
 * with another policy at any time: compactions then bring it into the form that the policy wants.
 *
 * <p>A policy has a kind and parameters. As a text it is {@code leveled:firstLevel=16MiB,factor=8};
 * what is left out has its default. Immutable; safe for any thread.
 */
public final class CompactionPolicy {
  private static final long LONGEST_AGE_SECONDS = Duration.ofDays(3650).toSeconds();

  private static final String PARAMETERS_FOLLOW = ":";

  private static final Map<Kind, SettingTable> TABLES = new EnumMap<>(Kind.class);

  private static final Setting<Long> FOREST_GROWTH = growthFactor(Kind.SPLIT_FOREST);
  private static final Setting<Boolean> FOREST_LAZY = lazy(Kind.SPLIT_FOREST);

  private static final Setting<Long> TIERED_GROWTH = growthFactor(Kind.SIZE_TIERED);
  private static final Setting<Boolean> TIERED_LAZY = lazy(Kind.SIZE_TIERED);

  private static final Setting<Long> LAZILY_GROWTH = growthFactor(Kind.LAZILY_LEVELED);

  private static final Setting<Long> LEVELED_TREES = trees(Kind.LEVELED);
  private static final Setting<Long> LEVELED_FIRST =
      table(Kind.LEVELED)
          .automaticBytes(
              "firstLevel",
              4 << 10,
              1L << 40,
              "Most bytes of stage 2; auto: 10000000, or fastBytes with a fast directory.");
  private static final Setting<Long> LEVELED_FACTOR =
      table(Kind.LEVELED)
          .count(
              "factor", "times", 10, 2, 64, "How many times as large each further stage may be.");

  private static final Setting<Long> GUARDED_TREES = trees(Kind.GUARDED);
  private static final Setting<Long> GUARDED_GUARD_TREES =
      table(Kind.GUARDED)
          .count(
              "guardTrees",
              "trees",
              2,
              1,
              64,
              "Trees of a stage above 1 that may hold something between two guards.");

  private static final Setting<Long> FIFO_SIZE =
      table(Kind.FIFO)
          .bytes(
              "size",
              1 << 30,
              4 << 10,
              1L << 40,
              "Bytes of a database's SSTs beyond which the oldest trees are dropped.");
  private static final Setting<Long> FIFO_AGE =
      table(Kind.FIFO)
          .add(
              "age",
              new Domain.Periods(LONGEST_AGE_SECONDS),
              0L,
              "Time after its last write, as of its flush, when a tree is dropped; 0 for no limit.");

  private static SettingTable table(Kind kind) {
    return TABLES.computeIfAbsent(kind, of -> new SettingTable(of + " has no parameter"));
  }

  private static Setting<Long> growthFactor(Kind kind) {
    return table(kind)
        .count(
            "growthFactor",
            "trees",
            4,
            2,
            64,
            "Trees of a stage that are compacted into one tree of the next.");
  }

  private static Setting<Boolean> lazy(Kind kind) {
    return table(kind)
        .flag(
            "lazy",
            false,
            "Whether a stage is compacted only when it holds one tree more than that.");
  }

  private static Setting<Long> trees(Kind kind) {
    return table(kind)
        .count("trees", "trees", 4, 2, 64, "Trees of stage 1 that are compacted into stage 2.");
  }

  /** The policies there are. */
  public enum Kind {
    /** See {@link CompactionPolicy#splitForest(int, boolean)}. */
    SPLIT_FOREST("splitForest", "The split forest: the least is written."),
    /** See {@link CompactionPolicy#sizeTiered}. */
    SIZE_TIERED("sizeTiered", "The same trees, each a single SST; to compare with the papers."),
    /** See {@link CompactionPolicy#lazilyLeveled}. */
    LAZILY_LEVELED("lazilyLeveled", "A split forest whose last stage is a single tree."),
    /** See {@link CompactionPolicy#leveled(int, long, int)}. */
    LEVELED("leveled", "One tree in each stage but the first, as LevelDB."),
    /** See {@link CompactionPolicy#guarded}. */
    GUARDED("guarded", "As PebblesDB; to compare with the papers."),
    /** See {@link CompactionPolicy#fifo(long)}. */
    FIFO("fifo", "First in, first out: nothing is compacted, and the oldest trees are dropped.");

    private final String text;
    private final String meaning;

    Kind(String text, String meaning) {
      this.text = text;
      this.meaning = meaning;
    }

    /** Its name in a text. */
    @Override
    public String toString() {
      return text;
    }

    /** What it does, in one sentence. */
    public String meaning() {
      return meaning;
    }

    /** Its parameters, each with its name, default, range and meaning. */
    public List<Setting<?>> parameters() {
      return table(this).all();
    }
  }

  /** All policies, with any parameters. */
  record Policies() implements Domain<CompactionPolicy> {
    @Override
    public String type() {
      return "policy";
    }

    @Override
    public String unit() {
      return "";
    }

    @Override
    public String allowed() {
      return String.join(", ", choices());
    }

    @Override
    public List<String> choices() {
      return CompactionPolicy.names();
    }

    @Override
    public boolean contains(CompactionPolicy value) {
      return true;
    }

    @Override
    public String format(CompactionPolicy value) {
      return value.toString();
    }

    @Override
    public @Nullable CompactionPolicy parse(String text) {
      return CompactionPolicy.parseIfKnown(text);
    }
  }

  private final Kind kind;
  private final Object[] values;

  private CompactionPolicy(Kind kind, Object[] values) {
    this.kind = kind;
    this.values = values;
  }

  /** The policy of that kind whose parameters all have their defaults. */
  public static CompactionPolicy of(Kind kind) {
    return new CompactionPolicy(kind, table(kind).defaults());
  }

  /** {@link #splitForest(int, boolean)} with 4 trees, not lazy: the default of a store. */
  public static CompactionPolicy splitForest() {
    return of(Kind.SPLIT_FOREST);
  }

  /** {@link #splitForest(int, boolean)}, not lazy. */
  public static CompactionPolicy splitForest(int growthFactor) {
    return splitForest(growthFactor, false);
  }

  /**
   * The split forest (TPDS §4): when a stage holds some trees, they become one tree of the next
   * stage, and SSTs that overlap no other are moved. The least is written, and the most trees are
   * searched.
   *
   * @param growthFactor trees of a stage that are compacted into one tree of the next, 2 to 64:
   *     more of them write less and leave more trees to search
   * @param lazy whether the stage must hold one tree more than that, as in the papers' own program:
   *     6–7 % fewer bytes are written, and there are half as many trees again to search
   * @throws IllegalArgumentException when a parameter is not allowed; the message says what is
   */
  public static CompactionPolicy splitForest(int growthFactor, boolean lazy) {
    return of(Kind.SPLIT_FOREST).put(FOREST_GROWTH, (long) growthFactor).put(FOREST_LAZY, lazy);
  }

  /**
   * As the papers' Size-Tiered: the same trees are compacted as by {@link #splitForest(int,
   * boolean)}, but each is a single SST, and nothing is moved. To compare with the papers.
   *
   * @param growthFactor as there
   * @param lazy as there
   * @throws IllegalArgumentException when a parameter is not allowed; the message says what is
   */
  public static CompactionPolicy sizeTiered(int growthFactor, boolean lazy) {
    return of(Kind.SIZE_TIERED).put(TIERED_GROWTH, (long) growthFactor).put(TIERED_LAZY, lazy);
  }

  /**
   * A split forest whose last stage is a single tree, into which the trees of the stage before are
   * compacted. It writes more, and less space is taken by obsolete data: for work that overwrites
   * or scans.
   *
   * @param growthFactor trees of a stage that are compacted into one tree of the next, 2 to 64
   * @throws IllegalArgumentException when it is not allowed; the message says what is
   */
  public static CompactionPolicy lazilyLeveled(int growthFactor) {
    return of(Kind.LAZILY_LEVELED).put(LAZILY_GROWTH, (long) growthFactor);
  }

  /**
   * {@link #leveled(int, long, int)} with 4 trees, 10 MB and 10 times, as LevelDB; with a fast
   * directory, {@code fastBytes} and 10 times, as MatrixKV (§3.3).
   */
  public static CompactionPolicy leveled() {
    return of(Kind.LEVELED);
  }

  /** {@link #leveled(int, long, int)} with 4 trees. */
  public static CompactionPolicy leveled(long firstLevelBytes, int factor) {
    return leveled().put(LEVELED_FIRST, firstLevelBytes).put(LEVELED_FACTOR, (long) factor);
  }

  /**
   * As LevelDB and RocksDB: the first stage holds some trees and each further stage one. Of a stage
   * that is larger than its limit one SST after the other is compacted into the next. The fewest
   * trees are searched, and data is rewritten most often.
   *
   * <p>With a fast directory the first stage is a container, whatever the number of its trees, and
   * is compacted column by column (MatrixKV, §3.2).
   *
   * @param trees of stage 1 that are compacted into stage 2, 2 to 64
   * @param firstLevelBytes size up to which nothing of stage 2 is compacted into stage 3, 4 KiB to
   *     1 TiB
   * @param factor how many times as large each further stage may be, 2 to 64
   * @throws IllegalArgumentException when a parameter is not allowed; the message says what is
   */
  public static CompactionPolicy leveled(int trees, long firstLevelBytes, int factor) {
    return leveled(firstLevelBytes, factor).put(LEVELED_TREES, (long) trees);
  }

  /**
   * As PebblesDB: of each stage but the first, keys that are chosen by their hash, its guards,
   * divide the keys into spans. What too many trees hold between two guards is compacted into the
   * next stage without what is there; of stage 7 each span is compacted into one run. One key in
   * 32,768 is a guard of stage 7, and one in 33 million of stage 2. To compare with the papers.
   *
   * @param trees of stage 1 that are compacted into stage 2, 2 to 64
   * @param guardTrees trees of a stage above 1 that may hold something between two guards, 1 to 64
   * @throws IllegalArgumentException when a parameter is not allowed; the message says what is
   */
  public static CompactionPolicy guarded(int trees, int guardTrees) {
    return of(Kind.GUARDED)
        .put(GUARDED_TREES, (long) trees)
        .put(GUARDED_GUARD_TREES, (long) guardTrees);
  }

  /**
   * First in, first out: nothing is compacted, and the oldest trees are dropped. For caches and for
   * logs of which the newest part counts: each byte is written once, and <b>old data goes by
   * itself</b>, whatever snapshots and cursors are open. It goes in the order in which it was
   * written: a key has its newest value or none. {@code Database.compact} does nothing, and neither
   * do compactions for reads or for space; what has expired, or lies in a deleted range, is dropped
   * with whole SSTs.
   *
   * @param bytes of a database's SSTs beyond which the oldest trees are dropped, 4 KiB to 1 TiB. A
   *     tree is what one flush writes, so what is left may be a write buffer less; the newest tree
   *     stays however large it is. Write buffers and log come on top of it.
   * @throws IllegalArgumentException when it is not allowed; the message says what is
   */
  public static CompactionPolicy fifo(long bytes) {
    return of(Kind.FIFO).put(FIFO_SIZE, bytes);
  }

  /**
   * As above, and a tree is also dropped when its newest entry was written too long ago, in a store
   * that nobody uses as well. The time counts from the flush that wrote the tree; of a file that is
   * ingested, from when it was made. What is in a write buffer or the log is not dropped.
   *
   * @param bytes as above
   * @param age 1 second to 3650 days, parts of a second do not count
   * @throws IllegalArgumentException when a parameter is not allowed; the message says what is
   */
  public static CompactionPolicy fifo(long bytes, Duration age) {
    if (age.toSeconds() == 0) {
      throw new IllegalArgumentException("age is " + age + "; allowed: 1s to 3650d");
    }
    return fifo(bytes).put(FIFO_AGE, age.toSeconds());
  }

  /**
   * The policy of a text, for instance {@code leveled} or {@code
   * leveled:firstLevel=16MiB,factor=8}: a kind, and parameters that are not to have their defaults.
   * Case does not matter in names of kinds; sizes and times may have a unit.
   *
   * @throws IllegalArgumentException when there is no such policy or parameter, or a value is not
   *     allowed; the message says what is
   */
  public static CompactionPolicy parse(String text) {
    CompactionPolicy policy = parseIfKnown(text);
    if (policy == null) {
      List<String> similar = Spelling.nearest(nameIn(text), names());
      throw new IllegalArgumentException(
          "there is no compaction policy "
              + nameIn(text)
              + (similar.isEmpty()
                  ? "; known: " + String.join(", ", names())
                  : "; did you mean " + String.join(" or ", similar) + "?"));
    }
    return policy;
  }

  /** As above, but null if there is no such kind. */
  static @Nullable CompactionPolicy parseIfKnown(String text) {
    String name = nameIn(text);
    for (Kind kind : Kind.values()) {
      if (kind.text.equalsIgnoreCase(name)) {
        int colon = text.indexOf(PARAMETERS_FOLLOW);
        return colon < 0 ? of(kind) : of(kind).withAll(text.substring(colon + 1));
      }
    }
    return null;
  }

  private static String nameIn(String text) {
    return text.split(PARAMETERS_FOLLOW, 2)[0].strip();
  }

  /** All kinds' names. */
  static List<String> names() {
    return Arrays.stream(Kind.values()).map(Kind::toString).toList();
  }

  private CompactionPolicy withAll(String parameters) {
    CompactionPolicy policy = this;
    for (String parameter : parameters.split(",", -1)) {
      String[] nameAndValue = parameter.split("=", 2);
      if (nameAndValue.length < 2) {
        throw new IllegalArgumentException(
            kind
                + " has no parameter '"
                + parameter
                + "'; write name=value, names are "
                + table(kind).names());
      }
      policy = policy.with(nameAndValue[0].strip(), nameAndValue[1]);
    }
    return policy;
  }

  /**
   * This policy with another value of a parameter.
   *
   * @param parameter its name, as {@link Kind#parameters} lists it
   * @param value sizes may have a unit, "64MiB"
   * @throws IllegalArgumentException when there is no such parameter, or the value is not allowed;
   *     the message says what is
   */
  public CompactionPolicy with(String parameter, String value) {
    Setting<?> setting = table(kind).named(parameter);
    return replaced(setting, setting.parse(value));
  }

  private <T> CompactionPolicy put(Setting<T> parameter, T value) {
    return replaced(parameter, parameter.checked(value));
  }

  private CompactionPolicy replaced(Setting<?> setting, Object value) {
    Object[] others = values.clone();
    others[setting.index()] = value;
    return new CompactionPolicy(kind, others);
  }

  /** What it does with which parameters. */
  public Kind kind() {
    return kind;
  }

  /**
   * The value of a parameter: a number, bytes, or seconds.
   *
   * @return {@link Long#MIN_VALUE} if the store chooses it
   * @throws IllegalArgumentException when it has no such parameter, or that is no number
   */
  public long number(String parameter) {
    if (table(kind).named(parameter).of(values) instanceof Long number) {
      return number;
    }
    throw new IllegalArgumentException(parameter + " of " + kind + " is no number");
  }

  /**
   * The value of a parameter that is true or false.
   *
   * @throws IllegalArgumentException when it has no such parameter, or that is a number
   */
  public boolean flag(String parameter) {
    if (table(kind).named(parameter).of(values) instanceof Boolean flag) {
      return flag;
    }
    throw new IllegalArgumentException(parameter + " of " + kind + " is neither true nor false");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CompactionPolicy that
        && kind == that.kind
        && Arrays.equals(values, that.values);
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, Arrays.hashCode(values));
  }

  /** Its kind, and those of its parameters that do not have their defaults: what is parsed. */
  @Override
  public String toString() {
    String parameters =
        kind.parameters().stream()
            .filter(parameter -> !parameter.of(values).equals(parameter.initial()))
            .map(parameter -> parameter.name() + "=" + parameter.textOf(values))
            .collect(Collectors.joining(","));
    return parameters.isEmpty() ? kind.toString() : kind + PARAMETERS_FOLLOW + parameters;
  }
}
