package io.sifr.crash;

import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that is done to a store, and to the model of it. */
sealed interface Step {
  /** Does it to the store. */
  void run(Store store);

  /** What the store holds then. */
  default ModelState after(ModelState before) {
    return before;
  }

  /** Whether it and everything before it is durable when it has returned. */
  default boolean isDurable() {
    return true;
  }

  /**
   * A put or a delete.
   *
   * @param write number of the write, by which its value is known; null to delete the key
   */
  record Operation(String database, int key, @Nullable Integer write) {}

  /** One or several operations that happen together. */
  record Write(List<Operation> operations, Durability durability) implements Step {
    @Override
    public void run(Store store) {
      WriteBatch batch = new WriteBatch();
      for (Operation operation : operations) {
        byte[] key = ModelState.key(operation.key());
        Integer write = operation.write();
        if (write == null) {
          batch.delete(store.database(operation.database()), key);
        } else {
          batch.put(store.database(operation.database()), key, ModelState.value(write));
        }
      }
      store.write(batch, durability);
    }

    @Override
    public ModelState after(ModelState before) {
      ModelState state = before;
      for (Operation operation : operations) {
        state = state.with(operation.database(), operation.key(), operation.write());
      }
      return state;
    }

    @Override
    public boolean isDurable() {
      return durability == Durability.SYNC;
    }
  }

  /** Makes everything durable in the log. */
  record Sync() implements Step {
    @Override
    public void run(Store store) {
      store.sync();
    }
  }

  /** Makes everything durable in trees. */
  record Flush() implements Step {
    @Override
    public void run(Store store) {
      store.flush();
    }
  }

  /** Merges a database into one tree. */
  record Compact(String database) implements Step {
    @Override
    public void run(Store store) {
      store.database(database).compact();
    }

    @Override
    public boolean isDurable() {
      return false; // what is in the memtables of the others
    }
  }

  /** Merges what a database holds from a key to another. */
  record CompactRange(String database, int from, int to) implements Step {
    @Override
    public void run(Store store) {
      KeyRange range = KeyRange.between(ModelState.key(from), ModelState.key(to));
      store.database(database).compact(range);
    }

    @Override
    public boolean isDurable() {
      return false; // what is in the memtables of the others
    }
  }

  /** Waits until all flushes and merges that are due are done. */
  record AwaitIdle() implements Step {
    @Override
    public void run(Store store) {
      store.awaitIdle();
    }

    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /**
   * Makes a database. Databases are no part of the order of the writes: behind a sync this one is.
   */
  record Create(String database) implements Step {
    @Override
    public void run(Store store) {
      store.sync();
      var unused = store.createDatabase(database);
    }

    @Override
    public ModelState after(ModelState before) {
      return before.with(database, Map.of());
    }
  }

  /** Removes a database, behind a sync as well. */
  record Drop(String database) implements Step {
    @Override
    public void run(Store store) {
      store.sync();
      store.dropDatabase(database);
    }

    @Override
    public ModelState after(ModelState before) {
      return before.without(database);
    }
  }

  /** The states that a store goes through, from the given one on. */
  static List<ModelState> states(ModelState first, Collection<Step> steps) {
    List<ModelState> states = new ArrayList<>(List.of(first));
    for (Step step : steps) {
      states.add(step.after(states.get(states.size() - 1)));
    }
    return states;
  }
}
