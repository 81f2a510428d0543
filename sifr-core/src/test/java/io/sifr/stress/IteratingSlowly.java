package io.sifr.stress;

import io.sifr.Cursor;
import io.sifr.Database;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Iterates over whole databases so slowly that the forest below the cursor is another one at the
 * end.
 */
final class IteratingSlowly extends Actor {
  private static final int ENTRIES_BETWEEN_PAUSES = 100;
  private static final long PAUSE_NANOS = 5_000_000;

  private final List<Database> databases;

  IteratingSlowly(Stage stage) {
    super(stage);
    this.databases = StressModel.databases(stage.store());
  }

  @Override
  String name() {
    return "slow entries";
  }

  @Override
  void act() {
    Database database = databases.get(random.nextInt(databases.size()));
    int[] oldest = model.oldest(0, model.keys());
    try (Cursor cursor = database.cursor()) {
      Iteration iteration =
          new Iteration(model, "slow iteration of " + database.name(), model.window(0, oldest));
      int forward = iteration.forward(cursor, this::pause);
      int backward = iteration.backward(cursor);
      if (forward != backward) {
        throw new AssertionError(forward + " entries forward, " + backward + " backward");
      }
      count(backward);
    }
  }

  private void pause() {
    count(1);
    if (done() % ENTRIES_BETWEEN_PAUSES == 0 && !isEnding()) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
