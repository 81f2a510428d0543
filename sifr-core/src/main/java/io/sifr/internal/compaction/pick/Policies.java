package io.sifr.internal.compaction.pick;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.pick.Rule.Remainder;
import io.sifr.internal.compaction.pick.Rule.Requested;
import io.sifr.internal.forest.Compaction.Shape;
import java.util.ArrayList;
import java.util.List;

/** The policies that a user can choose, as the rules that each of them lists. */
public final class Policies {
  private static final long MILLIS_PER_SECOND = 1000;

  /** What {@link CompactionPolicy#number} is if the user leaves it to the store. */
  private static final long CHOSEN_BY_STORE = Long.MIN_VALUE;

  /** That of LevelDB. */
  private static final long FIRST_LEVEL_BYTES = 10_000_000;

  private Policies() {}

  /** The policy that the options choose. */
  public static CompactionPicker of(StoreOptions options) {
    return of(options, Guarded.GUARD_BITS);
  }

  /** As above, with guards that are as rare as tests need them, see {@link Guarded}. */
  public static CompactionPicker of(StoreOptions options, int guardBits) {
    CompactionPicker chosen = chosen(options, guardBits);
    boolean mayBeLost = options.fastDirectory().isPresent() && options.fastIsVolatile();
    return mayBeLost ? chosen.with(new Home()) : chosen;
  }

  /** The same with the rule that encrypts everything with the current key. */
  public static CompactionPicker rotatingKeys(CompactionPicker policy) {
    return policy.with(new KeyRotation());
  }

  private static CompactionPicker chosen(StoreOptions options, int guardBits) {
    CompactionPolicy policy = options.compaction();
    return switch (policy.kind()) {
      case SPLIT_FOREST -> merging(tiered(options, Shape.MOVES), Shape.MOVES, Shape.MOVES, options);
      case SIZE_TIERED -> merging(tiered(options, Shape.WHOLE), Shape.WHOLE, Shape.WHOLE, options);
      case LAZILY_LEVELED ->
          merging(
              new LazilyLeveled(count(policy, "growthFactor"), options.writeBufferBytes()),
              Shape.MOVES,
              Shape.MOVES,
              options);
      case LEVELED -> merging(leveled(options), Shape.MOVES, Shape.MOVES, options);
      case GUARDED ->
          merging(
              new Guarded(count(policy, "trees"), count(policy, "guardTrees"), guardBits),
              Shape.REWRITES,
              Shape.MOVES,
              options);
      case FIFO -> Fifo.policy(policy.number("size"), age(policy));
    };
  }

  private static Rule.OfStages tiered(StoreOptions options, Shape shape) {
    CompactionPolicy policy = options.compaction();
    Tiered tiered = new Tiered(count(policy, "growthFactor"), policy.flag("lazy"), shape);
    return options.fastDirectory().isPresent()
        ? new Rows(new Container(options.fastBytes()), tiered)
        : tiered;
  }

  private static Rule.OfStages leveled(StoreOptions options) {
    CompactionPolicy policy = options.compaction();
    boolean hasRows = options.fastDirectory().isPresent();
    long firstLevel = policy.number("firstLevel");
    long usual = hasRows ? options.fastBytes() : FIRST_LEVEL_BYTES;
    Leveled leveled =
        new Leveled(
            count(policy, "trees"),
            firstLevel == CHOSEN_BY_STORE ? usual : firstLevel,
            count(policy, "factor"),
            options.splitUnitBytes());
    return hasRows ? new Columns(new Container(options.fastBytes()), leveled) : leveled;
  }

  private static long age(CompactionPolicy policy) {
    long seconds = policy.number("age");
    return seconds == 0 ? Fifo.ANY_AGE : MILLIS_PER_SECOND * seconds;
  }

  private static int count(CompactionPolicy policy, String parameter) {
    return Math.toIntExact(policy.number(parameter));
  }

  /**
   * A policy that may compact any trees.
   *
   * @param stages the rule that it is known for
   * @param forSpace what becomes of SSTs that are compacted to free space: so that the rule finds
   *     them as it wants them
   * @param forReads … because they are read
   */
  private static CompactionPicker merging(
      Rule.OfStages stages, Shape forSpace, Shape forReads, StoreOptions options) {
    List<Rule> rules = new ArrayList<>(always(stages));
    if (options.maxSpaceAmplification() != 0) {
      double most = options.maxSpaceAmplification();
      rules.add(new Space(most, options.writeBufferBytes(), forSpace));
      rules.add(new ValueSpace(most, options.writeBufferBytes()));
    }
    if (options.readCompactionBytesPerSecond() != 0) {
      rules.add(new Reads(Codecs.of(options.compression()).price(), forReads));
      rules.add(new Idle(forReads, Idle.MILLIS));
    }
    return new CompactionPicker(rules);
  }

  /** The rules of each policy that compacts, whatever the options. */
  public static List<Rule> always(Rule.OfStages stages) {
    return List.of(
        new Hidden(), new Expired(), new Remainder(stages::score), stages, new Requested());
  }
}
