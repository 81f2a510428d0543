package io.sifr.stress;

import io.sifr.Database;
import java.util.List;

/** Asks for single keys. */
final class Getting extends Actor {
  private final List<Database> databases;

  Getting(Stage stage) {
    super(stage);
    this.databases = StressModel.databases(stage.store());
  }

  @Override
  String name() {
    return "gets";
  }

  @Override
  void act() {
    int key = random.nextInt(model.keys());
    Database database = databases.get(random.nextInt(databases.size()));
    int[] oldest = model.oldest(key, 1);
    byte[] value = database.get(model.key(key));
    model.check("get from " + database.name(), model.window(key, oldest), key, value);
    count(1);
  }
}
