package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestRanges;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.testing.Futures;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Something that is done to a store, and to the model of it. */
public sealed interface Step {
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
   * A put, a merge, a delete or a range delete.
   *
   * @param write number of the write, by which its value is known; null to delete the key
   * @param range the range to delete; null if it is no range delete
   * @param isMerge whether the write is merged into the value there is
   */
  record Operation(
      String database,
      int key,
      @Nullable Integer write,
      @Nullable KeyRange range,
      boolean isMerge) {
    Operation(String database, int key, @Nullable Integer write) {
      this(database, key, write, null, false);
    }

    /** A range delete. */
    Operation(String database, KeyRange range) {
      this(database, 0, null, range, false);
    }

    static Operation merge(String database, int key, int write) {
      return new Operation(database, key, write, null, true);
    }

    private void addTo(WriteBatch batch, Store store) {
      Database target = store.database(database);
      if (range != null) {
        batch.deleteRange(target, range);
      } else if (write == null) {
        batch.delete(target, ModelState.key(key));
      } else if (isMerge) {
        batch.merge(target, ModelState.key(key), FollowingWrites.operand(write));
      } else {
        batch.put(target, ModelState.key(key), ModelState.value(write));
      }
    }

    private void addTo(Transaction transaction, Store store) {
      Database target = store.database(database);
      if (range != null) {
        transaction.deleteRange(target, range);
      } else {
        byte[] present = transaction.get(target, ModelState.key(key));
        if (write == null) {
          transaction.delete(target, ModelState.key(key));
        } else if (isMerge) {
          byte[] value = FollowingWrites.value(present, FollowingWrites.operand(write));
          transaction.put(target, ModelState.key(key), value);
        } else {
          transaction.put(target, ModelState.key(key), ModelState.value(write));
        }
      }
    }

    /** Whether it may be none: a delete of an empty range is not written. */
    boolean isNothing() {
      KeyRange deleted = range;
      return deleted != null
          && IntStream.range(0, ModelState.KEYS)
              .noneMatch(any -> deleted.contains(ModelState.key(any)));
    }

    private ModelState after(ModelState before) {
      if (range != null) {
        return before.withoutRange(database, range);
      }
      Integer present = before.databases().getOrDefault(database, Map.of()).get(key);
      return before.with(
          database,
          key,
          isMerge && write != null
              ? Integer.valueOf(FollowingWrites.after(present, write))
              : write);
    }
  }

  /** One or several operations that happen together. */
  record Write(List<Operation> operations, Durability durability) implements Step {
    @Override
    public void run(Store store) {
      WriteBatch batch = new WriteBatch();
      operations.forEach(operation -> operation.addTo(batch, store));
      store.write(batch, WriteOptions.of(durability));
    }

    @Override
    public ModelState after(ModelState before) {
      ModelState state = before;
      for (Operation operation : operations) {
        state = operation.after(state);
      }
      return state;
    }

    @Override
    public boolean isDurable() {
      return durability == Durability.SYNC && !operations.stream().allMatch(Operation::isNothing);
    }
  }

  /**
   * Writes that were made, and may be durable, which was not waited for.
   *
   * @param futures those since the first one
   */
  record InFlight(Queue<CompletableFuture<Void>> futures) {
    InFlight() {
      this(new ArrayDeque<>());
    }
  }

  /** One or several operations that happen together, and are synced while other steps go on. */
  record WriteAsync(List<Operation> operations, InFlight inFlight, boolean isFirst)
      implements Step {
    @Override
    public void run(Store store) {
      if (isFirst) {
        inFlight.futures().clear();
      }
      WriteBatch batch = new WriteBatch();
      operations.forEach(operation -> operation.addTo(batch, store));
      inFlight.futures().add(Futures.notFailed(store.writeAsync(batch, WriteOptions.SYNC)));
    }

    @Override
    public ModelState after(ModelState before) {
      return new Write(operations, Durability.SYNC).after(before);
    }

    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** Waits until those are durable that were written by the steps just before it. */
  record AwaitDurable(InFlight inFlight) implements Step {
    @Override
    public void run(Store store) {
      inFlight.futures().forEach(Futures::await);
    }

    @Override
    public boolean isDurable() {
      return !inFlight.futures().isEmpty(); // not all were refused
    }
  }

  /**
   * Range deletes, and then puts and deletes, in files, of which each database has its own, that
   * are ingested together.
   */
  record Ingest(List<Operation> operations, IngestFiles how) implements Step {
    /** Beside the store: what a crash leaves here is none of its files. */
    private static final Path DIRECTORY = Path.of("/files");

    private static final AtomicLong NUMBERS = new AtomicLong();

    @Override
    public void run(Store store) {
      TestStores.makeDirectory(store, DIRECTORY);
      Map<Database, List<Path>> files = new HashMap<>();
      byDatabase()
          .forEach((database, own) -> files.put(store.database(database), write(store, own)));
      store.ingest(files, IngestOptions.builder().files(how).build());
    }

    private static List<Path> write(Store store, Collection<Operation> operations) {
      Path file = DIRECTORY.resolve("file-" + NUMBERS.incrementAndGet());
      List<KeyRange> ranges = new ArrayList<>();
      NavigableMap<byte[], Operation> entries = new TreeMap<>(Arrays::compareUnsigned);
      for (Operation operation : operations) {
        KeyRange range = operation.range();
        if (range == null) {
          entries.put(ModelState.key(operation.key()), operation); // the last of each key
        } else {
          ranges.add(range);
        }
      }
      try (SstFileWriter writer = TestStores.writer(store, file)) {
        TestRanges.append(
            writer,
            ranges,
            entries.keySet(),
            key -> {
              Operation operation = entries.get(key);
              if (operation == null || operation.write() == null) {
                writer.delete(key);
              } else {
                writer.put(key, ModelState.value(operation.write()));
              }
            });
        return writer.finish().files();
      }
    }

    private Map<String, Collection<Operation>> byDatabase() {
      Map<String, Collection<Operation>> byDatabase = new TreeMap<>();
      for (Operation operation : operations) {
        byDatabase.computeIfAbsent(operation.database(), name -> new ArrayList<>()).add(operation);
      }
      return byDatabase;
    }

    @Override
    public ModelState after(ModelState before) {
      return new Write(operations, Durability.SYNC).after(before);
    }
  }

  /** Puts and deletes of one database that are loaded in bulk. */
  record Load(String database, List<Operation> operations, int threads) implements Step {
    @Override
    public void run(Store store) {
      try (BulkLoader loader =
          store.database(database).bulkLoader().memoryBytes(1 << 16).threads(threads).open()) {
        for (Operation operation : operations) {
          byte[] key = ModelState.key(operation.key());
          if (operation.write() == null) {
            loader.delete(key);
          } else {
            loader.put(key, ModelState.value(operation.write()));
          }
        }
        loader.finish();
      }
    }

    @Override
    public ModelState after(ModelState before) {
      return new Write(operations, Durability.SYNC).after(before);
    }
  }

  /** Several operations in a transaction, which reads what it overwrites. */
  record Commit(List<Operation> operations, Durability durability) implements Step {
    @Override
    public void run(Store store) {
      try (Transaction transaction = store.beginTransaction(TransactionOptions.SERIALIZABLE)) {
        operations.forEach(operation -> operation.addTo(transaction, store));
        transaction.commit(WriteOptions.of(durability));
      } catch (ConflictException e) {
        throw new AssertionError("nobody else writes", e);
      }
    }

    @Override
    public ModelState after(ModelState before) {
      return new Write(operations, durability).after(before);
    }

    @Override
    public boolean isDurable() {
      return new Write(operations, durability).isDurable();
    }
  }

  /** Sets a key that has the value that was read, or is replaced together with the read. */
  record Change(String database, int key, int write, Durability durability) implements Step {
    @Override
    public void run(Store store) {
      Database target = store.database(database);
      byte[] bytes = ModelState.key(key);
      if (write % 2 == 0) {
        var unused = target.getAndPut(bytes, ModelState.value(write), WriteOptions.of(durability));
      } else if (!target.compareAndSet(
          bytes, target.get(bytes), ModelState.value(write), WriteOptions.of(durability))) {
        throw new AssertionError("nobody else writes");
      }
    }

    @Override
    public ModelState after(ModelState before) {
      return before.with(database, key, write);
    }

    @Override
    public boolean isDurable() {
      return durability == Durability.SYNC;
    }
  }

  /** Sets a key to a value from a stream, or fails to, as the stream ends too early. */
  record Stream(String database, int key, int write, Durability durability, boolean endsEarly)
      implements Step {
    @Override
    public void run(Store store) {
      byte[] value = ModelState.value(write);
      int given = endsEarly ? write % value.length : value.length;
      InputStream in = new ByteArrayInputStream(value, 0, given);
      boolean wasPut = false;
      try {
        store
            .database(database)
            .put(ModelState.key(key), value.length, in, WriteOptions.of(durability));
        wasPut = true;
      } catch (IOException e) {
        // The stream ended early.
      }
      assertThat(wasPut).isNotEqualTo(endsEarly);
    }

    @Override
    public ModelState after(ModelState before) {
      return endsEarly ? before : before.with(database, key, write);
    }

    @Override
    public boolean isDurable() {
      return durability == Durability.SYNC && !endsEarly;
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

  /** Takes a checkpoint, next to the store. */
  record Checkpoint(int number) implements Step {
    @Override
    public void run(Store store) {
      store.checkpoint(store.directory().resolveSibling("checkpoint-" + number));
    }

    @Override
    public boolean isDurable() {
      return false; // in this store
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

  /** Reads all keys of a database, which may make a merge due. */
  record Read(String database) implements Step {
    @Override
    public void run(Store store) {
      for (int key = 0; key < ModelState.KEYS; key++) {
        var unused = store.database(database).contains(ModelState.key(key));
      }
    }

    @Override
    public boolean isDurable() {
      return false;
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
   * Makes a database. Databases are no part of the order of the writes: after a sync this one is.
   */
  record Create(String database) implements Step {
    private static final DatabaseOptions MERGING =
        DatabaseOptions.builder().mergeOperator(FollowingWrites.OPERATOR).build();

    @Override
    public void run(Store store) {
      store.sync();
      var unused = store.createDatabase(database, MERGING);
    }

    @Override
    public ModelState after(ModelState before) {
      return before.with(database, Map.of());
    }
  }

  /** From that length on, values are stored apart from their keys; filters know some prefixes. */
  record Separate(String database, int from) implements Step {
    @Override
    public void run(Store store) {
      DatabaseOptions options = store.database(database).options();
      int bytes = Integer.numberOfTrailingZeros(from) % 4;
      KeyPrefix prefix = from == 0 || bytes == 0 ? null : KeyPrefix.ofLength(bytes);
      store.alterDatabase(
          database, options.toBuilder().separateValuesFrom(from).filterPrefix(prefix).build());
    }

    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** Names a database as none can be named: nothing is written. */
  record RefusedName(String name) implements Step {
    @Override
    public void run(Store store) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.createDatabase(name, DatabaseOptions.DEFAULT));
      assertThatIllegalArgumentException().isThrownBy(() -> store.openOrCreateDatabase(name));
    }

    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** Removes a database, after a sync as well. */
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
