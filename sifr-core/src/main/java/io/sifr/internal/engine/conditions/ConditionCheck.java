package io.sifr.internal.engine.conditions;

import io.sifr.error.ConflictException;
import io.sifr.internal.engine.conditions.Conditions.Condition;
import io.sifr.internal.engine.conditions.Conditions.HasValue;
import io.sifr.internal.engine.conditions.Conditions.KeyUnchanged;
import io.sifr.internal.engine.conditions.Conditions.RangeUnchanged;
import io.sifr.internal.engine.write.WriteGuard;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.ChangeSearch;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.KeyText;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the conditions of one write: first without the write lock, in everything that the store
 * has, then under the lock, in what was written since. For one thread.
 */
final class ConditionCheck implements WriteGuard, AutoCloseable {
  private final CurrentValues values;
  private final List<Condition> conditions;
  private final boolean mayRead;

  private final Map<DatabaseHandle, LaterWrites> later = new HashMap<>(4);

  /**
   * Begins to follow the databases, and checks the conditions.
   *
   * @param mayRead as {@link LaterWrites#value}
   * @throws ConflictException when one of them does not hold; then there is nothing to be closed
   */
  static ConditionCheck begin(CurrentValues values, List<Condition> conditions, boolean mayRead) {
    ConditionCheck check = new ConditionCheck(values, conditions, mayRead);
    int ticket = values.enter();
    try {
      check.begin(ticket);
      return check;
    } catch (RuntimeException | Error e) {
      check.close();
      throw e;
    } finally {
      values.exit(ticket);
    }
  }

  private ConditionCheck(CurrentValues values, List<Condition> conditions, boolean mayRead) {
    this.values = values;
    this.conditions = conditions;
    this.mayRead = mayRead;
  }

  private void begin(int ticket) {
    boolean tracks = conditions.stream().anyMatch(RangeUnchanged.class::isInstance);
    for (Condition condition : conditions) {
      if (!later.containsKey(condition.database())) {
        later.put(condition.database(), values.follow(condition.database(), tracks));
      }
    }
    for (Condition condition : conditions) {
      LaterWrites writes = laterTo(condition);
      if (condition instanceof HasValue required) {
        compare(required, values.at(writes, required.key(), ticket));
      } else if (condition instanceof KeyUnchanged required) {
        // The number only now: it was still registered when the view was loaded.
        if (isChanged(writes, required.key(), required.since().sequence())) {
          throw changed(required.database(), required.key());
        }
      } else if (condition instanceof RangeUnchanged required) {
        long since = required.since().sequence();
        refuse(
            required, ChangeSearch.changedIn(writes.view(), required.from(), required.to(), since));
      }
    }
  }

  private static boolean isChanged(LaterWrites writes, byte[] key, long since) {
    Lookup probe = new Lookup(key, 0, key.length);
    try {
      return ChangeSearch.isChanged(writes.view(), probe, since);
    } finally {
      probe.release();
    }
  }

  /**
   * Checks them again under the lock.
   *
   * @throws ConflictException when one of them does not hold any more
   */
  @Override
  public boolean allows() {
    later.keySet().forEach(DatabaseHandle::checkNotDropped);
    for (Condition condition : conditions) {
      LaterWrites writes = laterTo(condition);
      if (condition instanceof HasValue required) {
        byte[] before = required.value();
        byte[] now = writes.value(required.key(), before, mayRead);
        if (now != before) {
          compare(required, now);
        }
      } else if (condition instanceof KeyUnchanged required) {
        if (writes.changed(required.key())) {
          throw changed(required.database(), required.key());
        }
      } else if (condition instanceof RangeUnchanged required) {
        refuse(required, writes.changedIn(required.from(), required.to()));
      }
    }
    return true;
  }

  private LaterWrites laterTo(Condition condition) {
    LaterWrites writes = later.get(condition.database());
    if (writes == null) {
      throw new IllegalStateException(condition.database() + " is not followed");
    }
    return writes;
  }

  private static void compare(HasValue required, byte @Nullable [] value) {
    if (!Arrays.equals(required.value(), value)) {
      String what =
          required.value() == null
              ? " has a value, and was required to have none"
              : value == null ? " has no value" : " has another value than was required";
      throw conflict(required.database(), required.key(), what);
    }
  }

  private static void refuse(RangeUnchanged required, byte @Nullable [] changed) {
    if (changed != null) {
      throw changed(required.database(), changed);
    }
  }

  private static ConflictException changed(DatabaseHandle database, byte[] key) {
    return conflict(database, key, " was written by another since the snapshot");
  }

  private static ConflictException conflict(DatabaseHandle database, byte[] key, String what) {
    return new ConflictException(
        database.name(), key, "key " + KeyText.of(key) + " of database " + database + what);
  }

  @Override
  public void close() {
    later.values().forEach(LaterWrites::close);
    later.clear();
  }
}
