package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Throwables;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.LeakCountingFileSystem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a fixed list of steps on a disk of which a call fails. The store carries on, or it
 * stops writes and says why; it reads on, and leaves nothing open when it is closed.
 */
final class FaultRun {
  /** Compactions that commit what they did after each SST. */
  static final Tuning SMALL_COMMITS =
      Tuning.DEFAULT.withCleaningThresholdBytes(4096).withWriteValuesOnceFrom(1);

  /** Steps that may fail before the run ends: each doubles what the store may hold. */
  private static final int MOST_FAILURES = 4;

  /** Number of a write that no step makes. */
  private static final int PROBE = 1_000_000;

  private final CrashDisk disk;
  private final StoreOptions options;
  private final FaultyFileSystem faulty;
  private final LeakCountingFileSystem files;
  private final Queue<Throwable> told = new ConcurrentLinkedQueue<>();
  private final List<SifrException> met = new ArrayList<>();
  private boolean fillsUp;
  private boolean isOpen;
  private boolean carriesOn;

  /** What the store may hold now. */
  private Set<ModelState> now;

  /** What it may hold when power is lost. */
  private Set<ModelState> afterPowerLoss;

  /**
   * @param disk with a store, all of which is durable
   * @param first what that holds
   */
  FaultRun(CrashDisk disk, StoreOptions options, ModelState first) {
    this.disk = disk;
    this.options = options;
    this.faulty = new FaultyFileSystem(disk.fileSystem());
    this.files = new LeakCountingFileSystem(faulty);
    this.now = Set.of(first);
    this.afterPowerLoss = Set.of(first);
  }

  /** From now on the disk may be full: what it refuses has changed nothing. */
  void fillsUp() {
    fillsUp = true;
  }

  /** How often the disk was full. */
  long refused() {
    return met.stream().filter(this::isRefusal).count();
  }

  private boolean isRefusal(SifrException e) {
    return fillsUp && e instanceof StoreFullException;
  }

  /** Where the fault is planned, and calls are counted. */
  FaultyFileSystem faults() {
    return faulty;
  }

  /** The disk, which keeps what was done to it. */
  CrashDisk disk() {
    return disk;
  }

  /** What a store may hold that is opened on the disk afterwards. */
  CrashRound.Allowed afterwards() {
    return new CrashRound.Allowed(List.copyOf(now), List.copyOf(afterPowerLoss));
  }

  /** What a store may hold that is opened on it when power was lost at the end. */
  CrashRound.Allowed afterPowerLoss() {
    List<ModelState> left = List.copyOf(afterPowerLoss);
    return new CrashRound.Allowed(left, left);
  }

  /** Whether the user or the listener was told of a failure. */
  boolean isNoticed() {
    return !met.isEmpty() || !told.isEmpty();
  }

  /** Whether the store took no more writes in the end, for another reason than a full disk. */
  boolean hasStopped() {
    return met.stream().anyMatch(StoreFailedException.class::isInstance);
  }

  /** Whether it could be opened. */
  boolean isOpen() {
    return isOpen;
  }

  /** Whether a write was taken in the end. */
  boolean carriesOn() {
    return carriesOn;
  }

  /** Opens the store, takes the steps, and closes it. */
  void run(List<Step> steps) {
    run(steps, store -> {});
  }

  /**
   * The same.
   *
   * @param beforeTheLastWrite what is done before it is seen whether the store carries on
   */
  void run(List<Step> steps, Consumer<Store> beforeTheLastWrite) {
    Store store = open();
    if (store != null) {
      isOpen = true;
      try {
        takeAll(store, steps, beforeTheLastWrite);
      } finally {
        close(store);
      }
    }
    files.assertNothingOpen();
  }

  private @Nullable Store open() {
    try {
      return TestStores.open(CrashRound.DIRECTORY, options, SMALL_COMMITS, files, new Listener());
    } catch (SifrException e) {
      note(e);
      return null;
    }
  }

  private void takeAll(Store store, List<Step> steps, Consumer<Store> beforeTheLastWrite) {
    boolean makesSense = true;
    for (int i = 0; makesSense && i < steps.size(); i++) {
      Step step = steps.get(i);
      boolean taken = take(store, step);
      // Steps after a database that is not made or not dropped are about another store.
      makesSense =
          taken
              || !(hasStopped()
                  || met.size() - refused() == MOST_FAILURES
                  || step instanceof Step.Create
                  || step instanceof Step.Drop);
    }
    beforeTheLastWrite.accept(store);
    // Whatever has happened in the background: it carries on, or says why it does not.
    List<Throwable> toldBefore = List.copyOf(told);
    Step probe =
        new Step.Write(
            List.of(new Step.Operation(Store.DEFAULT_DATABASE, 0, PROBE)), Durability.SYNC);
    // Twice, as the call that fails once may be one of the first.
    carriesOn = take(store, probe) || (!hasStopped() && take(store, probe));
    if (toldBefore.stream().anyMatch(FaultRun::isFinal)) {
      assertThat(hasStopped()).as("stopped for %s", toldBefore).isTrue();
    }
    if (hasStopped()) {
      assertThat(carriesOn).as("write is taken although others were refused: %s", met).isFalse();
      assertThat(met)
          .filteredOn(StoreFailedException.class::isInstance)
          .as("stopped for what may be tried again")
          .noneMatch(e -> Throwables.getCausalChain(e).stream().anyMatch(FaultRun::isOfEntries));
    }
  }

  /** Whether it may have left something half done that others need. */
  private static boolean isFinal(Throwable cause) {
    return !(cause instanceof StoreFullException
        || cause instanceof FileNotOpenedException
        || isOfEntries(cause)
        || isSyncOfValues(cause));
  }

  private static boolean isOfEntries(Throwable cause) {
    return cause instanceof StoreIoException e
        && (e.file().toString().endsWith(".sst") || e.file().toString().endsWith(".values"))
        && !isSyncOfValues(cause);
  }

  /** That of values that were put fails as that of the log does, others are tried again. */
  private static boolean isSyncOfValues(Throwable cause) {
    return cause instanceof StoreIoException e
        && e.file().toString().endsWith(".values")
        && String.valueOf(e.getMessage()).startsWith("cannot SYNC ");
  }

  /** Whether the step has returned; an exception means: unknown. */
  private boolean take(Store store, Step step) {
    Set<ModelState> after = new HashSet<>();
    now.forEach(state -> after.add(step.after(state)));
    try {
      step.run(store);
      now = after;
    } catch (SifrException e) {
      note(e);
      if (!isRefusal(e)) {
        after.addAll(now);
        now = after;
      }
      checkState(store);
      noteNotDurable();
      return false;
    }
    if (step.isDurable()) {
      afterPowerLoss = now;
    } else {
      noteNotDurable();
    }
    return true;
  }

  /** What the store holds, as far as it can be read: an SST that cannot be opened throws. */
  private void checkState(Store store) {
    ModelState state;
    try {
      state = ModelState.of(store);
    } catch (StoreIoException e) {
      assertThat(isOfEntries(e)).as("%s", e).isTrue();
      return;
    }
    assertThat(now).contains(state);
  }

  private void noteNotDurable() {
    Set<ModelState> either = new HashSet<>(afterPowerLoss);
    either.addAll(now);
    afterPowerLoss = either;
  }

  private void close(Store store) {
    try {
      store.close();
      if (!isNoticed()) {
        afterPowerLoss = now;
      }
    } catch (SifrException e) {
      note(e);
    }
  }

  private void note(SifrException e) {
    met.add(e);
    assertThat(Throwables.getRootCause(e).getMessage())
        .as("cause of %s", e)
        .isIn(
            "Input/output error",
            "Too many open files",
            "No space left on device",
            "the space that is left is kept for flushes, compactions and deletes");
  }

  private final class Listener implements StoreListener {
    @Override
    public void failed(FailureEvent event) {
      told.add(event.cause());
    }
  }
}
