package io.sifr.testing;

import io.sifr.Changes;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.event.Change;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Makes changes of one store in another one, as a replica would. */
public final class Follower {
  private final Store target;
  private final InstantSource clock;
  private final LongConsumer ingest;

  /**
   * @param target the store in which the changes are made
   * @param clock by which its values expire
   * @param ingest makes the ingest with that sequence number in the target
   */
  public Follower(Store target, InstantSource clock, LongConsumer ingest) {
    this.target = target;
    this.clock = clock;
    this.ingest = ingest;
  }

  /** One that ingests nothing. */
  public Follower(Store target) {
    this(
        target,
        InstantSource.system(),
        sequence -> {
          throw new AssertionError("an ingest at " + sequence);
        });
  }

  /** Makes all changes there are, and returns the last sequence number. */
  public long follow(Changes changes) {
    for (Change next = changes.next(); next != null; next = changes.next()) {
      apply(next);
    }
    return changes.nextSequence() - 1;
  }

  /** Makes one change. */
  public void apply(Change change) {
    if (change instanceof Change.Write write) {
      WriteBatch batch = new WriteBatch();
      write.operations().forEach(operation -> add(operation, batch));
      target.write(batch);
    } else if (change instanceof Change.DatabaseCreated created) {
      var unused = target.createDatabase(created.database(), created.options());
    } else if (change instanceof Change.DatabaseAltered altered) {
      target.alterDatabase(altered.database(), altered.options());
    } else if (change instanceof Change.DatabaseDropped dropped) {
      target.dropDatabase(dropped.database());
    } else if (change instanceof Change.Ingested ingested) {
      ingest.accept(ingested.firstSequence());
    }
  }

  private void add(Change.Operation operation, WriteBatch batch) {
    Database database = target.database(operation.database());
    byte[] key = operation.key();
    byte @Nullable [] value = operation.value();
    switch (operation.kind()) {
      case PUT -> put(operation, database, batch);
      case DELETE -> batch.delete(database, key);
      case MERGE -> batch.merge(database, key, Objects.requireNonNull(value));
      case DELETE_RANGE ->
          batch.deleteRange(
              database, value == null ? KeyRange.atLeast(key) : KeyRange.between(key, value));
      case OTHER -> throw new AssertionError("an operation of kind " + operation.code());
    }
  }

  private void put(Change.Operation operation, Database database, WriteBatch batch) {
    byte[] key = operation.key();
    byte[] value = Objects.requireNonNull(operation.value());
    if (operation.expiresAt() == null) {
      batch.put(database, key, value, null);
      return;
    }
    Duration left = Duration.between(clock.instant(), operation.expiresAt());
    if (left.compareTo(Duration.ofMillis(1)) < 0) {
      batch.delete(database, key); // it has expired
    } else {
      batch.put(database, key, value, left);
    }
  }

  /** A change as text: two are equal when their texts are. */
  public static String text(@Nullable Change change) {
    if (change instanceof Change.Write write) {
      StringBuilder text = new StringBuilder();
      text.append(write.firstSequence()).append('-').append(write.lastSequence());
      for (Change.Operation each : write.operations()) {
        text.append(' ').append(each.kind()).append(' ').append(each.database());
        text.append(' ').append(Arrays.toString(each.key()));
        text.append(' ').append(Arrays.toString(each.value())).append(' ').append(each.expiresAt());
      }
      return text.toString();
    }
    return String.valueOf(change);
  }
}
