package io.sifr.crash;

import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.DrawnPolicy;
import io.sifr.testing.TestPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Scenarios in which merges take certain turns. */
enum MergeScenarios {
  /** Many merges of a few SSTs each, which commit each of them. */
  SMALL_MERGES(SmallMerges::new),
  /** Merges commit at their end and not before. */
  ONE_COMMIT(OneCommit::new),
  /** All keys are deleted, and merged away. */
  NOTHING_LEFT(NothingLeft::new),
  /** Ranges are deleted, and merged away with what they cover. */
  RANGES(Ranges::new),
  /** Keys are so long that the manifest is rewritten every few flushes. */
  LARGE_MANIFEST(LargeManifest::new),
  /** Spans are merged into trees that exist, by a policy that is another with each opening. */
  ANY_POLICY(AnyPolicy::new);

  private static final int MOST_DATABASES = 2;

  @SuppressWarnings("ImmutableEnumChecker") // the suppliers keep nothing
  private final Supplier<Scenario> scenario;

  MergeScenarios(Supplier<Scenario> scenario) {
    this.scenario = scenario;
  }

  /** The scenario, for one store and all its lives. */
  Scenario scenario() {
    return scenario.get();
  }

  private static class Drawn implements Scenario {
    private final StepDrawing drawing = new StepDrawing(MOST_DATABASES);

    @Override
    public StoreOptions options(LogAccess logAccess, Random random) {
      return adapted(drawing.builder(logAccess, random)).build();
    }

    StoreOptions.Builder adapted(StoreOptions.Builder options) {
      return options;
    }

    @Override
    public List<Rule> readRules(Random random) {
      return drawing.readRules(random);
    }

    @Override
    public Tuning tuning(Random random) {
      return drawing.tuning(random);
    }

    @Override
    public List<Step> steps(ModelState first, int count, Random random) {
      return drawing.steps(first, count, random);
    }

    /** A batch that sets a key each. */
    Step.Write puts(int firstKey, int keys) {
      List<Step.Operation> operations = new ArrayList<>();
      for (int key = firstKey; key < firstKey + keys; key++) {
        operations.add(drawing.put(Store.DEFAULT_DATABASE, key));
      }
      return new Step.Write(operations, Durability.BUFFERED);
    }
  }

  /** Compactions that commit what they did after each SST. */
  private static class SmallCommits extends Drawn {
    @Override
    public Tuning tuning(Random random) {
      return super.tuning(random).withCleaningThresholdBytes(4096);
    }
  }

  private static final class SmallMerges extends SmallCommits {
    @Override
    StoreOptions.Builder adapted(StoreOptions.Builder options) {
      return TestPolicies.growing(options, 2).earlyCleaning(true);
    }
  }

  private static final class AnyPolicy extends SmallCommits {
    @Override
    StoreOptions.Builder adapted(StoreOptions.Builder options) {
      return TestPolicies.growing(options, 2);
    }

    @Override
    public CompactionPicker policy(StoreOptions options, Random random) {
      return DrawnPolicy.any(options, random);
    }
  }

  private static final class OneCommit extends Drawn {
    @Override
    StoreOptions.Builder adapted(StoreOptions.Builder options) {
      return options.earlyCleaning(false);
    }
  }

  private static final class NothingLeft extends Drawn {
    /** No merge begins but the one that is asked for, when all is deleted. */
    private static final int MORE_THAN_ALL_FLUSHES = 64;

    @Override
    public List<Rule> readRules(Random random) {
      return List.of();
    }

    @Override
    StoreOptions.Builder adapted(StoreOptions.Builder options) {
      return TestPolicies.growing(options, MORE_THAN_ALL_FLUSHES);
    }

    @Override
    public List<Step> steps(ModelState first, int count, Random random) {
      List<Step.Operation> deletes = new ArrayList<>();
      for (int key = 0; key < ModelState.KEYS; key++) {
        deletes.add(new Step.Operation(Store.DEFAULT_DATABASE, key, null));
      }
      List<Step> steps = new ArrayList<>();
      steps.add(puts(0, ModelState.KEYS));
      steps.add(new Step.Flush());
      steps.add(new Step.Write(deletes, Durability.BUFFERED));
      steps.add(new Step.Compact(Store.DEFAULT_DATABASE));
      return steps;
    }
  }

  private static final class Ranges extends SmallCommits {
    private static final int FLUSHES = 8;

    @Override
    StoreOptions.Builder adapted(StoreOptions.Builder options) {
      return TestPolicies.growing(options, 2).earlyCleaning(true);
    }

    @Override
    public List<Step> steps(ModelState first, int count, Random random) {
      List<Step> steps = new ArrayList<>();
      for (int i = 0; i < Math.min(count, FLUSHES); i++) {
        int key = random.nextInt(ModelState.KEYS);
        steps.add(puts(0, key));
        if (random.nextBoolean()) {
          steps.add(new Step.Flush());
        }
        List<Step.Operation> operations = new ArrayList<>();
        KeyRange range =
            random.nextInt(3) == 0
                ? KeyRange.prefix(ModelState.key(key))
                : KeyRange.between(
                    ModelState.key(random.nextInt(ModelState.KEYS)), ModelState.key(key));
        operations.add(new Step.Operation(Store.DEFAULT_DATABASE, range));
        operations.addAll(puts(key / 2, random.nextInt(20)).operations());
        steps.add(new Step.Write(operations, Durability.BUFFERED));
        steps.add(new Step.Flush());
      }
      return steps;
    }
  }

  private static final class LargeManifest extends SmallCommits {
    private static final int FLUSHES = 12;

    @Override
    StoreOptions.Builder adapted(StoreOptions.Builder options) {
      return TestPolicies.growing(options, 2).writeBufferBytes(1 << 20).earlyCleaning(true);
    }

    @Override
    public List<Step> steps(ModelState first, int count, Random random) {
      List<Step> steps = new ArrayList<>();
      for (int i = 0; i < Math.min(count, FLUSHES); i++) {
        steps.add(puts(ModelState.KEYS, ModelState.HUGE_KEYS));
        steps.add(new Step.Flush());
      }
      return steps;
    }
  }
}
