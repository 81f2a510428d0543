package io.sifr.stress;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.event.Metric;
import java.util.concurrent.locks.LockSupport;

/**
 * Does what is done now and then: flushes, compacts, pauses, drops a database, looks at figures.
 */
final class Administrating extends Actor {
  private static final String SHORT_LIVED = "short-lived";
  private static final long BREAK_NANOS = 200_000_000;

  Administrating(Stage stage) {
    super(stage);
  }

  @Override
  String name() {
    return "administration";
  }

  @Override
  void act() {
    switch (random.nextInt(20)) {
      case 0 -> store.flush();
      case 1 -> StressModel.databases(store).get(random.nextInt(2)).compact();
      case 8 -> compactRange();
      case 2, 3 -> {
        store.pauseCompactions();
        rest();
        store.resumeCompactions();
      }
      case 4, 5, 6 -> useShortLived();
      case 7 -> store.sync();
      default -> {
        if (store.statistics().get(Metric.SSTS) < 0
            || store.database("left").forest().stages().size() > 64) {
          throw new AssertionError("figures that cannot be");
        }
      }
    }
    count(1);
    rest();
  }

  private static void rest() {
    LockSupport.parkNanos(BREAK_NANOS);
  }

  private void compactRange() {
    int first = random.nextInt(model.keys());
    KeyRange range =
        KeyRange.between(model.key(first), model.key(first + random.nextInt(model.keys())));
    StressModel.databases(store).get(random.nextInt(2)).compact(range);
  }

  private void useShortLived() {
    Database database = store.openOrCreateDatabase(SHORT_LIVED);
    int entries = 1 + random.nextInt(5000);
    for (int i = 0; i < entries; i++) {
      database.put(model.key(i), new byte[random.nextInt(100)]);
    }
    int seen = 0;
    try (Cursor cursor = database.cursor()) {
      while (cursor.next()) {
        seen++;
      }
    }
    if (seen != entries) {
      throw new AssertionError(seen + " entries of " + entries + " in " + SHORT_LIVED);
    }
    store.dropDatabase(SHORT_LIVED);
  }
}
