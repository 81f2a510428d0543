package io.sifr.stress;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.WriteBatch;
import io.sifr.config.WriteOptions;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Writes batches, half of them to a few keys; deletes some as ranges of one key. One of several
 * writers, each with its own keys.
 */
final class Writing extends Actor {
  private static final int MOST_KEYS_A_BATCH = 8;
  private static final int SYNCED_ONE_IN = 200;
  private static final int HOT_KEYS = 500;
  private static final int RANGE_BEFORE_PUT_ONE_IN = 20;

  private final int writer;
  private final int writers;
  private final List<Database> databases;

  Writing(Stage stage, int writer, int writers) {
    super(stage);
    this.writer = writer;
    this.writers = writers;
    this.databases = StressModel.databases(stage.store());
  }

  @Override
  String name() {
    return "writes";
  }

  @Override
  void act() {
    WriteBatch batch = new WriteBatch();
    SortedSet<Integer> keys = new TreeSet<>();
    for (int i = 1 + random.nextInt(MOST_KEYS_A_BATCH); i > 0; i--) {
      int own = model.keys() / writers;
      keys.add(random.nextInt(random.nextBoolean() ? HOT_KEYS : own) * writers + writer);
    }
    for (int key : keys) {
      byte[] value = model.value(key, model.begin(key));
      for (Database database : databases) {
        if (value != null) {
          if (random.nextInt(RANGE_BEFORE_PUT_ONE_IN) == 0) {
            batch.deleteRange(database, KeyRange.prefix(model.key(key)));
          }
          batch.put(database, model.key(key), value);
        } else if (random.nextBoolean()) {
          batch.delete(database, model.key(key));
        } else {
          batch.deleteRange(database, KeyRange.prefix(model.key(key)));
        }
      }
    }
    boolean isSynced = random.nextInt(SYNCED_ONE_IN) == 0;
    store.write(batch, isSynced ? WriteOptions.SYNC : WriteOptions.BUFFERED);
    keys.forEach(model::confirm);
    count(keys.size());
  }
}
