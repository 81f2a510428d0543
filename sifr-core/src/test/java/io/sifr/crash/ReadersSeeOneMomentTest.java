package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.TestStores;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.SearchLength;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A store is opened to be read only while it is written to: between any two calls of the reader to
 * the disk the writer does some steps. The reader sees the state after one of the steps, and none
 * that is older than the call. Some are copied, with steps in between as well: the copy has what
 * the reader sees, also after a power loss. A check finds nothing. Now and then the writer is
 * another one, with another key.
 *
 * <p>A longer run: {@code -Dsifr.readers.openings=20000}; another first seed: {@code
 * -Dsifr.crash.seed=…}. Threads of the store are real ones, so a seed gives the same steps but not
 * the same order of calls.
 */
@Tag("crash")
class ReadersSeeOneMomentTest {
  private static final long FIRST_SEED = Long.getLong("sifr.crash.seed", 1);
  private static final int OPENINGS =
      Integer.getInteger("sifr.readers.openings", SearchLength.of(200, 400));
  private static final int OPENINGS_OF_A_STORE = 50;

  private static final Path COPIES = Path.of("/copies");
  private static final Path BACKUPS = Path.of("/backups");
  private static final int MOST_POINTS = 3;

  /** In one opening; without an end it would go on and on. */
  private static final int MOST_STEPS = 30;

  @Test
  void eachOpeningSeesTheStateAfterAStep() {
    System.out.println("seeds from " + FIRST_SEED + " on");
    int stores = Math.max(1, OPENINGS / OPENINGS_OF_A_STORE);
    int copies = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + stores; seed++) {
      try (Run run = new Run(seed)) {
        run.openings();
        copies += run.copies;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    System.out.println(copies + " copies");
    assertThat(copies).isPositive();
  }

  private static final class Run implements AutoCloseable {
    private final Random random;
    private final StepDrawing drawing = new StepDrawing(3);
    private final CrashDisk disk = CrashDisk.with(CrashRound.DIRECTORY);
    private final LeakCountingFileSystem files = new LeakCountingFileSystem(disk.fileSystem());
    private final StoreOptions options;
    private final StoreOptions ofCopies;
    private final Tuning tuning;
    private Store writer;
    private final List<ModelState> states = new ArrayList<>();
    private int stepsLeft;
    private int copies;

    Run(long seed) {
      random = new Random(seed);
      LogAccess access = seed % 2 == 0 ? LogAccess.MAPPED : LogAccess.WRITTEN;
      StoreOptions.Builder drawn = drawing.builder(access, random);
      options = drawn.build();
      ofCopies = drawn.fastDirectory(null).coldDirectory(null).build();
      tuning = drawing.tuning(random);
      disk.encrypt(random.nextInt(3));
      writer = TestStores.open(CrashRound.DIRECTORY, options, tuning, files);
      states.add(ModelState.EMPTY);
    }

    void openings() {
      StoreFileSystem interrupted = new Interrupted(files);
      Store reader = TestStores.openReadOnly(CrashRound.DIRECTORY, options, interrupted);
      try {
        for (int i = 0; i < OPENINGS_OF_A_STORE; i++) {
          step();
          int first = states.size() - 1;
          stepsLeft = random.nextInt(MOST_STEPS);
          Store next =
              random.nextBoolean()
                  ? reader.refreshed()
                  : TestStores.openReadOnly(CrashRound.DIRECTORY, options, interrupted);
          stepsLeft = 0;
          reader.close();
          reader = next;
          ModelState seen = ModelState.of(reader);
          assertThat(states.subList(first, states.size()))
              .as("opening %d, %s", i, options)
              .contains(seen);
          if (random.nextInt(3) == 0) {
            copy(reader, seen, interrupted);
          }
          if (random.nextInt(4) == 0) {
            check(interrupted);
          }
          step();
          assertThat(ModelState.of(reader)).isEqualTo(seen);
        }
      } finally {
        reader.close();
      }
    }

    /** Nothing is wrong with a store because it is written to while it is checked. */
    private void check(StoreFileSystem interrupted) {
      stepsLeft = random.nextInt(MOST_STEPS);
      StoreCheck.OfMoment check = TestChecks.runReadOnly(interrupted, CrashRound.DIRECTORY);
      stepsLeft = 0;
      assertThat(check.report().findings()).as("%s", options).isEmpty();
      assertThat(check.notChecked()).isNotEmpty();
    }

    /** Copies what the reader shows, while the writer goes on. */
    private void copy(Store reader, ModelState seen, StoreFileSystem interrupted) {
      copies++;
      Path target = COPIES.resolve(Integer.toString(copies));
      boolean isPoint = random.nextBoolean();
      stepsLeft = random.nextInt(MOST_STEPS);
      if (isPoint) {
        TestBackups.in(BACKUPS, interrupted).create(reader);
      } else {
        reader.checkpoint(target);
      }
      stepsLeft = 0;
      CrashDisk left = random.nextBoolean() ? disk.crash(random) : disk.kill();
      if (isPoint) {
        Backups backups = TestBackups.in(BACKUPS, left.fileSystem());
        List<Long> numbers = backups.numbers();
        backups.verify(numbers.get(numbers.size() - 1), Backups.Progress.NONE);
        backups.restore(numbers.get(numbers.size() - 1), target);
      }
      assertThat(TestChecks.run(left.fileSystem(), target).findings()).isEmpty();
      try (Store copy = TestStores.open(target, ofCopies, tuning, left.fileSystem())) {
        assertThat(ModelState.of(copy)).as("copy %d, %s", copies, options).isEqualTo(seen);
        ModelState state = seen;
        for (Step step : drawing.steps(seen, 5, random)) {
          if (!(step instanceof Step.Checkpoint)) {
            step.run(copy);
            state = step.after(state);
          }
        }
        assertThat(ModelState.of(copy)).isEqualTo(state);
      }
      assertThat(TestChecks.run(left.fileSystem(), target).findings()).isEmpty();
      if (isPoint) {
        tidy();
      } else {
        TestStores.destroy(target, files);
      }
    }

    /** The writer makes points in the same place. */
    private void tidy() {
      Backups backups = TestBackups.in(BACKUPS, files);
      if (random.nextBoolean()) {
        backups.create(writer);
      }
      for (List<Long> all = backups.numbers(); all.size() > MOST_POINTS; all = backups.numbers()) {
        backups.delete(all.get(random.nextInt(all.size())));
      }
    }

    /** The writer is closed, and another one goes on with another key, or none. */
    private void reopen() {
      writer.close();
      disk.encrypt(random.nextInt(3));
      writer = TestStores.open(CrashRound.DIRECTORY, options, tuning, files);
    }

    /** Something that the writer does. */
    private void step() {
      ModelState before = states.get(states.size() - 1);
      Step step = drawing.steps(before, 1, random).get(0);
      if (random.nextInt(8) == 0 && step instanceof Step.Write write) {
        // What is neither logged nor flushed need not be seen.
        new Step.Write(write.operations(), Durability.NONE).run(writer);
        flush(write).run(writer);
      } else if (!(step instanceof Step.Checkpoint)) {
        step.run(writer);
      } else {
        reopen();
        return;
      }
      states.add(step.after(before));
    }

    /** Has all databases flushed, or one that was written to: the others are flushed with it. */
    private Step flush(Step.Write write) {
      return write.operations().stream()
          .filter(operation -> !operation.isNothing())
          .findFirst()
          .filter(any -> random.nextBoolean())
          .<Step>map(operation -> new Step.Compact(operation.database()))
          .orElseGet(Step.Flush::new);
    }

    private void perhapsSteps() {
      while (stepsLeft > 0 && random.nextInt(3) == 0) {
        stepsLeft--;
        step();
      }
    }

    @Override
    public void close() {
      writer.close();
      files.assertNothingOpen();
    }

    /** What the reader sees of the disk. */
    private final class Interrupted extends ForwardingFileSystem {
      Interrupted(StoreFileSystem delegate) {
        super(delegate);
      }

      @Override
      public List<String> list(Path directory) {
        perhapsSteps();
        return super.list(directory);
      }

      @Override
      public boolean exists(Path file) {
        perhapsSteps();
        return super.exists(file);
      }

      @Override
      public long size(Path file) {
        perhapsSteps();
        return super.size(file);
      }

      @Override
      public MappedRegion mapForRead(Path file, long size) {
        perhapsSteps();
        return super.mapForRead(file, size);
      }

      @Override
      public RandomReadFile openForRead(Path file) {
        perhapsSteps();
        RandomReadFile opened = super.openForRead(file);
        return new RandomReadFile() {
          @Override
          public long size() {
            return opened.size();
          }

          @Override
          public void readFully(ByteBuffer target, long position) {
            perhapsSteps();
            opened.readFully(target, position);
          }

          @Override
          public void close() {
            opened.close();
          }
        };
      }
    }
  }
}
