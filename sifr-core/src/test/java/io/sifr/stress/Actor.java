package io.sifr.stress;

import io.sifr.Store;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/** Does one thing to a store, again and again. Each has a thread of its own. */
abstract class Actor implements AutoCloseable {
  private final BooleanSupplier ending;
  private final LongAdder done = new LongAdder();
  final Store store;
  final StressModel model;
  final Random random;

  Actor(Stage stage) {
    this.store = stage.store();
    this.model = stage.model();
    this.random = stage.random();
    this.ending = stage.ending();
  }

  /** Whether the run is about to end. */
  final boolean isEnding() {
    return ending.getAsBoolean();
  }

  /** What it does, for people. */
  abstract String name();

  /** Does it once. */
  abstract void act() throws InterruptedException;

  /** Lets go of what it holds of the store. */
  @Override
  public void close() {}

  /** Counts what it has got done. */
  final void count(long more) {
    done.add(more);
  }

  /** How much it has got done. */
  final long done() {
    return done.sum();
  }
}
