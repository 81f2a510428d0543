package io.sifr.stress;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.config.SearchScheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks for single keys. */
final class Getting extends Actor {
  private static final int MOST_KEYS = 60;
  private static final int LATER = 20;
  private static final List<SearchScheme> SCHEMES = List.of(SearchScheme.values());

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
    Database database = databases.get(random.nextInt(databases.size()));
    ReadOptions options = anyScheme(random);
    SearchScheme scheme = options.searchScheme();
    switch (random.nextInt(8)) {
      case 0 -> getMany(database, options);
      case 1 -> getLater(database, options);
      default -> {
        int key = random.nextInt(model.keys());
        int[] oldest = model.oldest(key, 1);
        check(database, scheme, key, oldest, database.get(model.key(key), options));
      }
    }
  }

  static ReadOptions anyScheme(Random random) {
    SearchScheme scheme = SCHEMES.get(random.nextInt(SCHEMES.size()));
    return ReadOptions.builder().searchScheme(scheme).build();
  }

  private void getMany(Database database, ReadOptions options) {
    int first = random.nextInt(model.keys() - MOST_KEYS);
    int step = 1 + random.nextInt(3);
    int[] oldest = model.oldest(first, MOST_KEYS);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < MOST_KEYS; i += step) {
      keys.add(model.key(first + i));
    }
    List<byte[]> values = database.multiGet(keys, options);
    StressModel.Window window = model.window(first, oldest);
    for (int i = 0; i < values.size(); i++) {
      model.check("multi-get from " + database.name(), window, first + i * step, values.get(i));
    }
    count(values.size());
  }

  private void getLater(Database database, ReadOptions options) {
    int[] keys = random.ints(LATER, 0, model.keys()).toArray();
    List<int[]> oldest = new ArrayList<>();
    List<CompletableFuture<byte[]>> values = new ArrayList<>();
    for (int key : keys) {
      oldest.add(model.oldest(key, 1));
      values.add(database.getAsync(model.key(key), options));
    }
    for (int i = 0; i < keys.length; i++) {
      byte[] value = values.get(i).join();
      check(database, options.searchScheme(), keys[i], oldest.get(i), value);
    }
  }

  private void check(
      Database database,
      @Nullable SearchScheme scheme,
      int key,
      int[] oldest,
      byte @Nullable [] value) {
    String who = "get from " + database.name() + ", " + scheme;
    model.check(who, model.window(key, oldest), key, value);
    count(1);
  }
}
