package io.sifr.crash;

import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.IngestFiles;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.pick.Idle;
import io.sifr.internal.compaction.pick.Reads;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.DrawnNames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Draws steps, and settings so small that a few dozen of them pass through flush and merge. */
final class StepDrawing implements Scenario {

  /** On another device than the store. */
  private static final Path FAST = Path.of("/fast");

  private static final Path COLD = Path.of("/cold");

  private final int mostDatabases;

  /** Whether the fast directory is empty after each power failure; drawn once. */
  private @Nullable Boolean fastIsVolatile;

  /** The writes that were drawn last, if it was not drawn that they are waited for. */
  private Step.@Nullable InFlight inFlight;

  /** Number of the next write; none is used twice, so that no old value is taken for a new one. */
  private int nextWrite = 1;

  /**
   * @param mostDatabases how many databases there can be at a time; with 1 only the default one
   */
  StepDrawing(int mostDatabases) {
    this.mostDatabases = mostDatabases;
  }

  /** What else a power failure takes: all files of a fast directory that is volatile. */
  static void loseVolatile(StoreFileSystem files) {
    if (isVolatile(files)) {
      files.list(FAST).forEach(name -> files.delete(FAST.resolve(name)));
      files.syncDirectory(FAST);
    }
  }

  /** Whether the store has a fast directory that is volatile. */
  static boolean isVolatile(StoreFileSystem files) {
    Path mark = CrashRound.DIRECTORY.resolve("FAST");
    if (!files.exists(mark)) {
      return false;
    }
    try (RandomReadFile file = files.openForRead(mark)) {
      ByteBuffer line = ByteBuffer.allocate((int) file.size());
      file.readFully(line, 0);
      return new String(line.array(), StandardCharsets.UTF_8).contains("volatile");
    }
  }

  @Override
  public StoreOptions options(LogAccess logAccess, Random random) {
    return builder(logAccess, random).build();
  }

  /** The settings, to be changed. */
  StoreOptions.Builder builder(LogAccess logAccess, Random random) {
    return StoreOptions.builder()
        .writeBufferBytes(6144 + random.nextInt(6144))
        .totalWriteBufferBytes((16 << 10) << random.nextInt(3))
        .splitUnitBytes(4096)
        .compaction(CompactionPolicy.splitForest(2 + random.nextInt(2), random.nextBoolean()))
        .maxSpaceAmplification(random.nextInt(3) == 0 ? 0 : 1.1 + random.nextDouble())
        .logAccess(logAccess)
        .logSegmentBytes(8192 << random.nextInt(4))
        .maxLogBytes(1 << 16)
        .keptLogBytes(random.nextInt(3) == 0 ? 0 : 1L << (10 + random.nextInt(11)))
        .compactionThreads(1 + random.nextInt(2))
        .fastDirectory(random.nextInt(3) == 0 ? FAST : null)
        .fastIsVolatile(fastIsVolatile(random))
        .fastBytes(64L << (10 + random.nextInt(2)))
        .coldDirectory(random.nextInt(3) == 0 ? COLD : null)
        .earlyCleaning(random.nextInt(5) > 0)
        .readMode(List.of(ReadMode.values()).get(random.nextInt(4)))
        .blockCacheBytes(Math.max(0, random.nextInt(24) - 4) * 8192L)
        .memoryBudgetBytes((1L << 20) << random.nextInt(6))
        .maxOpenSsts(random.nextInt(4) == 0 ? 16 + random.nextInt(100) : 8192)
        .filterBitsPerKey(Math.max(0, random.nextInt(16) - 3)); // without filters now and then
  }

  private boolean fastIsVolatile(Random random) {
    Boolean drawn = fastIsVolatile;
    if (drawn == null) {
      drawn = random.nextBoolean();
      fastIsVolatile = drawn;
    }
    return drawn;
  }

  @Override
  public Tuning tuning(Random random) {
    return Tuning.DEFAULT
        .withSstsBeforeGrowth(random.nextBoolean() ? 1 + random.nextInt(8) : 9000)
        .withCleaningThresholdBytes(4096L << random.nextInt(4))
        .withImmutableMemtables(1 + random.nextInt(2))
        .withStepsBack(random.nextBoolean())
        .withWriteValuesOnceFrom(1 << random.nextInt(8));
  }

  /**
   * With a price so small that a single read that is counted pays for a merge, and now and then for
   * a store that is idle as soon as nothing else is due.
   */
  @Override
  public List<Rule> readRules(Random random) {
    if (random.nextInt(3) == 0) {
      return List.of();
    }
    Shape shape = random.nextInt(4) == 0 ? Shape.WHOLE : Shape.MOVES;
    Reads reads = new Reads(1e-9, shape);
    return random.nextInt(3) == 0 ? List.of(reads, new Idle(shape, 0)) : List.of(reads);
  }

  @Override
  public List<Step> steps(ModelState first, int count, Random random) {
    if (!fillsDisk()) {
      inFlight = null; // those that were drawn last belong to a store that is closed
    }
    List<Step> steps = new ArrayList<>();
    ModelState state = first;
    for (int i = 0; i < count; i++) {
      Step step = step(state, random);
      steps.add(step);
      state = step.after(state);
    }
    return steps;
  }

  private Step step(ModelState state, Random random) {
    List<String> databases = List.copyOf(state.databases().keySet());
    String database = databases.get(random.nextInt(databases.size()));
    if (inFlight != null) {
      return inFlight(databases, random);
    }
    int choice = random.nextInt(100);
    if (choice < 8) {
      return new Step.Change(
          database, random.nextInt(ModelState.KEYS), nextWrite++, durability(random));
    } else if (choice < 14) {
      return stream(database, random.nextInt(ModelState.KEYS), random);
    } else if (choice < 18) {
      inFlight = new Step.InFlight();
      return new Step.WriteAsync(List.of(operation(database, random)), inFlight, true);
    } else if (choice < 50) {
      return new Step.Write(List.of(operation(database, random)), durability(random));
    } else if (choice < 53) {
      return new Step.Ingest(rangesAndEntries(databases, random), how(random));
    } else if (choice < 54) {
      return new Step.Load(database, setsOrDeletes(List.of(database), random), 1);
    } else if (choice < 60) {
      return neighbours(database, random);
    } else if (choice < 80) {
      List<Step.Operation> operations = new ArrayList<>();
      for (int i = 2 + random.nextInt(16); i > 0; i--) {
        operations.add(operation(databases.get(random.nextInt(databases.size())), random));
      }
      return choice < 67
          ? new Step.Commit(operations, durability(random))
          : new Step.Write(operations, durability(random));
    } else if (choice < 84) {
      return new Step.Sync();
    } else if (choice < 86) {
      // Values have 4 bytes and more.
      return new Step.Separate(database, random.nextInt(4) == 0 ? 0 : 1 << random.nextInt(8));
    } else if (choice < 90) {
      return new Step.Flush();
    } else if (choice < 92) {
      return new Step.Compact(database);
    } else if (choice < 94) {
      int from = random.nextInt(ModelState.KEYS);
      return new Step.CompactRange(database, from, random.nextInt(ModelState.KEYS));
    } else if (choice < 95) {
      return new Step.AwaitIdle();
    } else if (choice < 96) {
      // Not one after the other: several drawings may follow each other on a disk.
      return new Step.Checkpoint(random.nextInt(Integer.MAX_VALUE));
    } else if (choice < 97) {
      return new Step.Read(database);
    }
    return createOrDrop(state, database, random);
  }

  /** Another write of those that are in flight, or the end of them all. */
  private Step inFlight(List<String> databases, Random random) {
    Step.InFlight begun = Objects.requireNonNull(inFlight);
    if (random.nextInt(4) == 0) {
      inFlight = null;
      return new Step.AwaitDurable(begun);
    }
    List<Step.Operation> operations = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      operations.add(operation(databases.get(random.nextInt(databases.size())), random));
    }
    return new Step.WriteAsync(operations, begun, false);
  }

  /** Sets a key to a value that nothing was set to before. */
  Step.Operation put(String database, int key) {
    return new Step.Operation(database, key, nextWrite++);
  }

  private Step stream(String database, int key, Random random) {
    boolean endsEarly = random.nextInt(4) == 0;
    return new Step.Stream(database, key, nextWrite++, durability(random), endsEarly);
  }

  /** Sets a key to a value from a stream; the value of one in some writes has several pages. */
  Step stream(String database, int key, Durability durability, boolean endsEarly) {
    return new Step.Stream(database, key, nextWrite++, durability, endsEarly);
  }

  private static IngestFiles how(Random random) {
    List<IngestFiles> all = List.of(IngestFiles.values());
    return all.get(random.nextInt(all.size()));
  }

  /** Each database has entries that has ranges: those might be empty, and a file is not. */
  private List<Step.Operation> rangesAndEntries(List<String> databases, Random random) {
    List<Step.Operation> entries = setsOrDeletes(databases, random);
    List<Step.Operation> all = new ArrayList<>();
    for (int i = random.nextInt(5) - 1; i > 0; i--) {
      String database = entries.get(random.nextInt(entries.size())).database();
      all.add(new Step.Operation(database, range(random)));
    }
    all.addAll(entries);
    return all;
  }

  private List<Step.Operation> setsOrDeletes(List<String> databases, Random random) {
    List<Step.Operation> operations = new ArrayList<>();
    for (int i = 1 + random.nextInt(60); i > 0; i--) {
      operations.add(setOrDelete(databases.get(random.nextInt(databases.size())), random));
    }
    return operations;
  }

  /** Keys that lie close together, so that merges meet SSTs that overlap nothing and move them. */
  private Step neighbours(String database, Random random) {
    int kind = random.nextInt(ModelState.KINDS_OF_KEYS);
    List<Step.Operation> operations = new ArrayList<>();
    for (int key = kind; key < ModelState.KEYS; key += ModelState.KINDS_OF_KEYS) {
      operations.add(put(database, key));
    }
    return new Step.Write(operations, durability(random));
  }

  private Step createOrDrop(ModelState state, String database, Random random) {
    if (mostDatabases == 1) {
      return new Step.Sync();
    }
    if (state.databases().size() < mostDatabases) {
      if (random.nextInt(4) == 0) {
        return new Step.RefusedName(DrawnNames.refused(random));
      }
      String name = DrawnNames.allowed(random, mostDatabases + 2);
      return state.databases().containsKey(name) ? new Step.Sync() : new Step.Create(name);
    }
    return database.equals(Store.DEFAULT_DATABASE) || random.nextInt(3) > 0
        ? new Step.Sync()
        : new Step.Drop(database);
  }

  private Step.Operation operation(String database, Random random) {
    if (random.nextInt(16) == 0) {
      return new Step.Operation(database, range(random));
    }
    if (!database.equals(Store.DEFAULT_DATABASE) && random.nextInt(3) == 0) {
      return Step.Operation.merge(database, random.nextInt(ModelState.KEYS / 4), nextWrite++);
    }
    return setOrDelete(database, random);
  }

  private Step.Operation setOrDelete(String database, Random random) {
    boolean deletes = random.nextInt(5) == 0;
    return new Step.Operation(
        database, random.nextInt(ModelState.KEYS), deletes ? null : Integer.valueOf(nextWrite++));
  }

  /** All keys now and then, those of one kind, those between two, or none. */
  private static KeyRange range(Random random) {
    byte[] key = ModelState.key(random.nextInt(ModelState.KEYS));
    byte[] other = ModelState.key(random.nextInt(ModelState.KEYS));
    return switch (random.nextInt(16)) {
      case 0 -> KeyRange.all();
      case 1 -> KeyRange.atLeast(key);
      case 2 -> KeyRange.lessThan(key);
      case 3, 4, 5, 6 -> KeyRange.prefix(key);
      default -> KeyRange.between(key, other);
    };
  }

  private static Durability durability(Random random) {
    return random.nextInt(6) == 0 ? Durability.SYNC : Durability.BUFFERED;
  }
}
