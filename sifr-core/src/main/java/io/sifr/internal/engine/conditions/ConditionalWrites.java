package io.sifr.internal.engine.conditions;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.conditions.Conditions.Condition;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.engine.write.StallLimit;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes that depend on what the store holds. What they depend on is read first, without the write
 * lock and perhaps from files; under the lock only what was written since then is looked at, which
 * is in memory ({@link LaterWrites}). So each takes about as long as a read and a write, and only
 * an ingest of files in between, or a put of a large value, has it begin again.
 *
 * <p>Thread-safe.
 */
public final class ConditionalWrites {
  /**
   * If others put large values so often that as many attempts are in vain, the next one reads such
   * a value under the lock: so of any number of threads that change one key all go on.
   */
  private static final int VAIN_ATTEMPTS = 4;

  private final WritePath writes;
  private final CurrentValues values;
  private final Lifecycle lifecycle;

  /**
   * @param lifecycle of the store
   */
  public ConditionalWrites(WritePath writes, CurrentValues values, Lifecycle lifecycle) {
    this.writes = writes;
    this.values = values;
    this.lifecycle = lifecycle;
  }

  /**
   * Sets the value of a key that has none.
   *
   * @return the value it has; null when it had none
   */
  public byte @Nullable [] putIfAbsent(
      DatabaseHandle database, byte[] key, byte[] value, WriteOptions options) {
    BatchBuffer put = put(database, key, value, options);
    return following(
        database,
        key,
        options,
        (followed, limit) -> {
          boolean isPut =
              followed.value() == null
                  && writes.write(put, () -> followed.hasStill(null), options, limit);
          return isPut ? null : followed.value();
        });
  }

  /**
   * Sets or removes the value of a key that has a given one.
   *
   * @param expected null: the key has no value
   * @param value null: remove it
   * @return whether it had that value
   */
  public boolean compareAndSet(
      DatabaseHandle database,
      byte[] key,
      byte @Nullable [] expected,
      byte @Nullable [] value,
      WriteOptions options) {
    BatchBuffer change =
        value != null
            ? put(database, key, value, options)
            : expected != null ? delete(database, key) : new BatchBuffer();
    Boolean isSet =
        following(
            database,
            key,
            options,
            (followed, limit) ->
                Arrays.equals(followed.value(), expected)
                    && writes.write(change, () -> followed.hasStill(expected), options, limit));
    return Boolean.TRUE.equals(isSet);
  }

  /**
   * Sets the value of a key.
   *
   * @return the value before; null when it had none
   */
  public byte @Nullable [] getAndPut(
      DatabaseHandle database, byte[] key, byte[] value, WriteOptions options) {
    BatchBuffer put = put(database, key, value, options);
    return following(
        database,
        key,
        options,
        (followed, limit) -> {
          var unused =
              writes.write(
                  put,
                  () -> {
                    followed.now();
                    return true;
                  },
                  options,
                  limit);
          return followed.value();
        });
  }

  /**
   * Removes a key.
   *
   * @return its value; null when it had none, and nothing was written
   */
  public byte @Nullable [] getAndDelete(DatabaseHandle database, byte[] key, WriteOptions options) {
    BatchBuffer delete = delete(database, key);
    return following(
        database,
        key,
        options,
        (followed, limit) -> {
          boolean isDeleted =
              followed.value() != null
                  && writes.write(delete, () -> followed.now() != null, options, limit);
          return isDeleted ? followed.value() : null;
        });
  }

  /**
   * Applies a batch if conditions hold at the moment at which it becomes visible.
   *
   * @throws io.sifr.error.ConflictException when one does not; then nothing was written
   * @throws io.sifr.error.StallTimeoutException if it would be held back for longer than the
   *     options allow; nothing is written then
   */
  public void write(BatchBuffer batch, Conditions conditions, WriteOptions options) {
    StallLimit limit = StallLimit.of(options.maxStall());
    for (Condition condition : conditions.all()) {
      checkArgument(condition.database().isOf(lifecycle), "the batch is for another store");
    }
    for (int attempt = 0; ; attempt++) {
      boolean mayRead = attempt >= VAIN_ATTEMPTS;
      try (ConditionCheck check = ConditionCheck.begin(values, conditions.all(), mayRead)) {
        var unused = writes.write(batch, check, options, limit);
        return;
      } catch (LaterWrites.Outdated e) {
        // Nothing was written. That takes long, so the next check is rarely in vain.
      }
    }
  }

  /** A change of one key. */
  private interface Change<T> {
    @Nullable T make(FollowedKey followed, @Nullable StallLimit limit);
  }

  private <T> @Nullable T following(
      DatabaseHandle database, byte[] key, WriteOptions options, Change<T> change) {
    StallLimit limit = StallLimit.of(options.maxStall());
    EntryLimits.checkKey(key);
    for (int attempt = 0; ; attempt++) {
      boolean mayRead = attempt >= VAIN_ATTEMPTS;
      try (FollowedKey followed = FollowedKey.begin(values, database, key, mayRead)) {
        return change.make(followed, limit);
      } catch (LaterWrites.Outdated e) {
        // Nothing was written; as above.
      }
    }
  }

  private static BatchBuffer put(
      DatabaseHandle database, byte[] key, byte[] value, WriteOptions options) {
    BatchBuffer put = new BatchBuffer();
    put.put(database, key, value, options);
    return put;
  }

  private static BatchBuffer delete(DatabaseHandle database, byte[] key) {
    BatchBuffer delete = new BatchBuffer();
    delete.delete(database, key);
    return delete;
  }
}
