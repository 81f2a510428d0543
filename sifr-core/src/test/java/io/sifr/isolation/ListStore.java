package io.sifr.isolation;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.WriteBatch;
import io.sifr.error.ConflictException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lists of numbers in a store, to which one appends in many ways. A list is the value of one of two
 * keys; it is moved from one to the other now and then, so that keys are deleted and come again,
 * singly and with ranges. Neighbouring lists are in different databases.
 */
final class ListStore {
  /** So long that a few values fill a write buffer. */
  private static final String PADDING = ".".repeat(90);

  private final Store store;
  private final List<Database> databases;
  private final int lists;
  private final String prefix;
  private final AtomicInteger numbers;
  private final AtomicLong moments = new AtomicLong();

  /**
   * @param prefix of the keys
   * @param numbers gives numbers that are in no list
   */
  ListStore(Store store, String prefix, int lists, AtomicInteger numbers) {
    this.store = store;
    this.databases = List.of(store.database(), store.openOrCreateDatabase("second"));
    this.prefix = prefix;
    this.lists = lists;
    this.numbers = numbers;
  }

  /** Reads and changes keys in some way. */
  private interface Access {
    byte @Nullable [] get(Database database, byte[] key);

    void put(Database database, byte[] key, byte[] value);

    void delete(Database database, byte[] key);
  }

  private Database databaseOf(int list) {
    return databases.get(list % databases.size());
  }

  private static String name(int list) {
    return "list-" + list;
  }

  private byte[] key(int list, int place) {
    return String.format("%s-%03d-%d", prefix, list, place).getBytes(US_ASCII);
  }

  private KeyRange rangeOf(int list) {
    return KeyRange.prefix(String.format("%s-%03d-", prefix, list).getBytes(US_ASCII));
  }

  private static List<Integer> parse(byte[] value) {
    String text = new String(value, US_ASCII);
    return Arrays.stream(text.substring(0, text.indexOf('.')).split(",", -1))
        .map(Integer::valueOf)
        .toList();
  }

  private static byte[] format(List<Integer> list) {
    StringBuilder text = new StringBuilder();
    list.forEach(number -> text.append(text.isEmpty() ? "" : ",").append(number));
    return text.append(PADDING).toString().getBytes(US_ASCII);
  }

  /** The place where a list is, and its content. */
  private record Found(int place, List<Integer> content) {
    static final Found NOTHING = new Found(-1, List.of());

    boolean isThere() {
      return place >= 0;
    }
  }

  private Found find(Access access, int list) {
    Found found = Found.NOTHING;
    for (int place = 0; place < 2; place++) {
      byte[] value = access.get(databaseOf(list), key(list, place));
      if (value != null) {
        if (found.isThere()) {
          throw new AssertionError(name(list) + " is in two places");
        }
        found = new Found(place, parse(value));
      }
    }
    return found;
  }

  private void append(Access access, int list, Attempt attempt, Random random) {
    Found found = find(access, list);
    attempt.read(name(list), found.content());
    int number = numbers.incrementAndGet();
    List<Integer> longer = new ArrayList<>(found.content());
    longer.add(number);
    int place = Math.max(0, found.place());
    if (found.isThere() && random.nextInt(3) == 0) {
      access.delete(databaseOf(list), key(list, place));
      place = 1 - place;
    }
    access.put(databaseOf(list), key(list, place), format(longer));
    attempt.append(name(list), number);
  }

  /** One attempt at something, by a transaction of that kind. */
  Attempt attemptTransaction(String name, TransactionOptions options, Random random) {
    Attempt attempt = new Attempt(name).begin(moments.get());
    try (Transaction transaction = store.beginTransaction(options)) {
      Access access = access(transaction, random);
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        int list = random.nextInt(lists);
        switch (random.nextInt(4)) {
          case 0 -> attempt.read(name(list), find(access, list).content());
          case 1 -> readRange(transaction, attempt, random);
          default -> append(access, list, attempt, random);
        }
        if (random.nextInt(4) == 0) {
          LockSupport.parkNanos(1000);
        }
      }
      if (random.nextInt(12) == 0) {
        return attempt; // and roll back
      }
      transaction.commit();
      return attempt.commit(moments.incrementAndGet());
    } catch (ConflictException e) {
      return attempt;
    }
  }

  private Access access(Transaction transaction, Random random) {
    return new Access() {
      @Override
      public byte @Nullable [] get(Database database, byte[] key) {
        return transaction.get(database, key);
      }

      @Override
      public void put(Database database, byte[] key, byte[] value) {
        transaction.put(database, key, value);
      }

      @Override
      public void delete(Database database, byte[] key) {
        if (random.nextBoolean()) {
          transaction.delete(database, key);
        } else {
          transaction.deleteRange(database, KeyRange.prefix(key));
        }
      }
    };
  }

  /** Reads some neighbouring lists of one database with a cursor, also those that do not exist. */
  private void readRange(Transaction transaction, Attempt attempt, Random random) {
    int first = random.nextInt(lists);
    int end = Math.min(lists, first + 1 + random.nextInt(6));
    boolean forward = random.nextBoolean();
    Map<Integer, List<Integer>> found = new TreeMap<>();
    KeyRange range = KeyRange.between(key(first, 0), key(end, 0));
    try (Cursor cursor = transaction.cursor(databaseOf(first), range)) {
      while (forward ? cursor.next() : cursor.previous()) {
        String key = new String(cursor.key(), US_ASCII);
        int list = Integer.parseInt(key.substring(prefix.length() + 1, prefix.length() + 4));
        if (found.put(list, parse(cursor.value())) != null) {
          throw new AssertionError(key + " is in two places");
        }
      }
    }
    for (int list = first; list < end; list += databases.size()) {
      attempt.read(name(list), found.getOrDefault(list, List.of()));
    }
  }

  /** One attempt to append by a batch, on the condition that what was read is still there. */
  Attempt attemptBatch(String name, Random random) {
    Attempt attempt = new Attempt(name).begin(moments.get());
    boolean byValue = random.nextBoolean();
    WriteBatch batch = new WriteBatch();
    try (Snapshot snapshot = store.snapshot()) {
      Access access =
          new Access() {
            @Override
            public byte @Nullable [] get(Database database, byte[] key) {
              byte[] value = database.get(key, ReadOptions.at(snapshot));
              if (!byValue) {
                batch.requireUnchanged(database, key, snapshot);
              } else if (value == null) {
                batch.requireAbsent(database, key);
              } else {
                batch.requireValue(database, key, value);
              }
              return value;
            }

            @Override
            public void put(Database database, byte[] key, byte[] value) {
              batch.put(database, key, value);
            }

            @Override
            public void delete(Database database, byte[] key) {
              batch.delete(database, key);
            }
          };
      int written = random.nextInt(lists);
      int read = (written + 1 + random.nextInt(lists - 1)) % lists;
      if (!byValue && random.nextBoolean()) {
        batch.requireUnchanged(databaseOf(read), rangeOf(read), snapshot);
      }
      attempt.read(name(read), find(access, read).content());
      append(access, written, attempt, random);
      store.write(batch);
      return attempt.commit(moments.incrementAndGet());
    } catch (ConflictException e) {
      return attempt;
    }
  }

  /** One attempt to append to a list where it is. */
  Attempt attemptCompareAndSet(String name, Random random) {
    Attempt attempt = new Attempt(name).begin(moments.get());
    int list = random.nextInt(lists);
    Database database = databaseOf(list);
    int place = random.nextInt(2);
    byte[] value = database.get(key(list, place));
    if (value == null) {
      return attempt; // the other place is no part of what is compared
    }
    List<Integer> content = parse(value);
    attempt.read(name(list), content);
    int number = numbers.incrementAndGet();
    List<Integer> longer = new ArrayList<>(content);
    longer.add(number);
    attempt.append(name(list), number);
    return database.compareAndSet(key(list, place), value, format(longer))
        ? attempt.commit(moments.incrementAndGet())
        : attempt;
  }

  /** What the lists contain, when nobody writes. */
  Map<String, List<Integer>> contents() {
    Map<String, List<Integer>> contents = new TreeMap<>();
    try (Transaction transaction = store.beginTransaction()) {
      Access access = access(transaction, new Random(0));
      for (int list = 0; list < lists; list++) {
        contents.put(name(list), find(access, list).content());
      }
    }
    return contents;
  }
}
