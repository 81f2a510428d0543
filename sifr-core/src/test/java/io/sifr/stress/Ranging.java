package io.sifr.stress;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import java.util.List;

/** Iterates over short ranges, forward, backward, and to and fro. */
final class Ranging extends Actor {
  private static final int MOST_KEYS = 200;

  private final List<Database> databases;

  Ranging(Stage stage) {
    super(stage);
    this.databases = StressModel.databases(stage.store());
  }

  @Override
  String name() {
    return "range entries";
  }

  @Override
  void act() {
    int count = 1 + random.nextInt(MOST_KEYS);
    int first = random.nextInt(model.keys() - count);
    Database database = databases.get(random.nextInt(databases.size()));
    KeyRange range = KeyRange.between(model.key(first), model.key(first + count));
    int[] oldest = model.oldest(first, count);
    try (Cursor cursor = database.cursor(range, Getting.anyScheme(random))) {
      Iteration iteration =
          new Iteration(model, "iteration of " + database.name(), model.window(first, oldest));
      switch (random.nextInt(3)) {
        case 0 -> count(iteration.forward(cursor));
        case 1 -> count(iteration.backward(cursor));
        default -> count(iteration.toAndFro(cursor, random));
      }
    }
  }
}
