package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.nothing;
import static io.sifr.behaviour.SmallStores.text;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sifr.BufferCursor;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Isolation;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.Threads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionsTest {
  private static final byte[] A = bytes("a");
  private static final byte[] B = bytes("b");
  private static final byte[] C = bytes("c");

  /** How many keys tests draw from. */
  private static final int KEYS = 40;

  @TempDir Path directory;

  private Store store;
  private Database database;

  @BeforeEach
  void open() {
    store = SmallStores.open(directory);
    database = store.database();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Transaction begin(Isolation isolation) {
    return store.beginTransaction(TransactionOptions.builder().isolation(isolation).build());
  }

  private static void assertConflict(byte[] key, ThrowingCallable commit) {
    assertThatThrownBy(commit)
        .isInstanceOfSatisfying(
            ConflictException.class, conflict -> assertThat(conflict.key()).isEqualTo(key));
  }

  @ParameterizedTest
  @EnumSource
  void nobodySeesTheirWritesBeforeTheCommitAndAllSeeThemAfterwards(Isolation isolation) {
    Database second = store.openOrCreateDatabase("second");
    database.put(C, C);
    try (Transaction transaction = begin(isolation)) {
      transaction.put(database, A, bytes("1"));
      transaction.put(second, B, bytes("2"));
      transaction.delete(database, C);
      assertThat(database.contains(A)).isFalse();
      assertThat(second.contains(B)).isFalse();
      assertThat(database.contains(C)).isTrue();
      assertThat(text(transaction.get(database, A))).isEqualTo("1");
      assertThat(transaction.contains(second, B)).isTrue();
      assertThat(transaction.contains(second, A)).isFalse();
      assertThat(transaction.get(database, C)).isNull();
      assertThat(transaction.isOpen()).isTrue();
      transaction.commit();
      assertThat(transaction.isOpen()).isFalse();
    }
    assertThat(text(database.get(A))).isEqualTo("1");
    assertThat(text(second.get(B))).isEqualTo("2");
    assertThat(database.contains(C)).isFalse();
  }

  @Test
  void closingForgetsThem() {
    try (Transaction transaction = store.beginTransaction()) {
      transaction.put(database, A, A);
      transaction.deleteRange(database, KeyRange.all());
    }
    assertThat(database.contains(A)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void theyReadTheStateAtWhichTheyBegan(Isolation isolation) {
    database.put(A, bytes("before"));
    try (Transaction transaction = begin(isolation)) {
      database.put(A, bytes("after"));
      database.put(B, bytes("after"));
      database.compact();
      assertThat(text(transaction.get(database, A))).isEqualTo("before");
      assertThat(transaction.contains(database, B)).isFalse();
      try (Cursor cursor = transaction.cursor(database)) {
        assertThat(SmallStores.rest(cursor)).containsOnlyKeys("a").containsValue("before");
      }
      transaction.commit(); // it has written nothing
    }
  }

  @Test
  void cursorsMergeTheirWritesInBothDirections() {
    for (int i = 0; i < 60; i += 2) {
      database.put(key(i), value(i, 1));
    }
    try (Transaction transaction = store.beginTransaction()) {
      transaction.put(database, key(70), bytes("deleted below"));
      transaction.deleteRange(database, KeyRange.between(key(20), key(30)));
      transaction.deleteRange(database, KeyRange.atLeast(key(50)));
      transaction.put(database, key(24), bytes("again"));
      transaction.put(database, key(3), bytes("between"));
      transaction.put(database, key(4), bytes("instead"));
      transaction.delete(database, key(6));
      transaction.delete(database, key(7));
      transaction.put(database, key(60), bytes("last"));
      List<String> expected = new ArrayList<>();
      for (int i : new int[] {2, 3, 4, 8, 10, 12, 14, 16, 18, 24, 30, 32, 34, 36, 38}) {
        expected.add(text(key(i)));
      }
      try (BufferCursor<ByteBuf> cursor =
          transaction.cursor(database.byteBufs(), KeyRange.between(key(1), key(40)))) {
        List<String> forward = new ArrayList<>();
        while (cursor.next()) {
          forward.add(text(cursor.key()));
        }
        assertThat(forward).isEqualTo(expected);
        List<String> backward = new ArrayList<>();
        while (cursor.previous()) {
          backward.add(0, text(cursor.key()));
        }
        assertThat(backward).isEqualTo(expected);
        assertThat(cursor.seek(key(5))).isTrue();
        assertThat(cursor.key()).isEqualTo(key(8));
        assertThat(cursor.previous()).isTrue();
        assertThat(text(cursor.value())).isEqualTo("instead");
        assertThat(cursor.valueLength()).isEqualTo(7);
        ByteBuf copy = Unpooled.buffer();
        cursor.copyKey(copy);
        cursor.copyValue(copy);
        assertThat(ByteBufUtil.getBytes(copy)).isEqualTo(bytes(text(key(4)) + "instead"));
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.value()).isEqualTo(value(8, 1));
        assertThat(cursor.valueLength()).isEqualTo(value(8, 1).length);
        assertThat(cursor.seekBefore(key(24))).isTrue();
        assertThat(cursor.key()).isEqualTo(key(18));
        assertThat(cursor.first()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(2));
        assertThat(cursor.seek(key(40))).isFalse();
        assertThat(cursor.isValid()).isFalse();
        assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
        assertThat(cursor.last()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(38));
      }
      try (Cursor cursor = transaction.cursor(database)) {
        assertThat(cursor.last()).isTrue();
        assertThat(text(cursor.value())).isEqualTo("last");
        assertThat(cursor.previous()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(48));
        transaction.delete(database, key(46));
        transaction.put(database, key(45), bytes("new"));
        assertThat(cursor.previous()).isTrue();
        assertThat(text(cursor.value())).isEqualTo("new");
      }
      transaction.commit();
    }
    assertThat(SmallStores.content(database))
        .hasSize(15 + 1 + 4 + 1 + 1) // 0, 40 to 48 without 46, 45, 60
        .containsEntry(text(key(24)), "again")
        .doesNotContainKey(text(key(70)));
  }

  @ParameterizedTest
  @EnumSource
  void ofTwoThatWriteAKeyTheSecondFails(Isolation isolation) {
    try (Transaction first = begin(isolation);
        Transaction second = begin(isolation)) {
      first.put(database, A, bytes("first"));
      second.put(database, B, bytes("second"));
      second.delete(database, A);
      first.commit();
      assertConflict(A, second::commit);
      assertThat(second.isOpen()).isFalse();
    }
    assertThat(text(database.get(A))).isEqualTo("first");
    assertThat(database.contains(B)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aRangeDeleteIsAWriteToAllKeysOfTheRange(Isolation isolation) {
    database.put(A, A);
    try (Transaction transaction = begin(isolation)) {
      transaction.deleteRange(database, KeyRange.between(A, C));
      database.put(B, B);
      assertConflict(B, transaction::commit);
    }
    try (Transaction transaction = begin(isolation)) {
      transaction.put(database, B, C);
      database.deleteRange(KeyRange.all());
      assertConflict(B, transaction::commit);
    }
    try (Transaction transaction = begin(isolation)) {
      transaction.deleteRange(database, KeyRange.between(A, C));
      transaction.put(database, B, B);
      database.put(C, C);
      transaction.commit();
    }
    assertThat(SmallStores.content(database)).containsOnlyKeys("b", "c");
  }

  /** Each reads what the other one writes. */
  private ThrowingCallable skewedCommit(Isolation isolation, boolean requires) {
    Transaction first = begin(isolation);
    Transaction second = begin(isolation);
    first.put(database, A, text(first.get(database, B)) == null ? bytes("b is absent") : A);
    second.put(database, B, text(second.get(database, A)) == null ? bytes("a is absent") : B);
    if (requires) {
      second.requireUnchanged(database, A);
    }
    first.commit();
    return second::commit;
  }

  @Test
  void writeSkewIsPossibleWithSnapshotIsolation() throws Throwable {
    skewedCommit(Isolation.SNAPSHOT, false).call();
    assertThat(text(database.get(A))).isEqualTo("b is absent");
    assertThat(text(database.get(B))).isEqualTo("a is absent");
  }

  @Test
  void serializableTransactionsHaveNoWriteSkew() {
    assertConflict(A, skewedCommit(Isolation.SERIALIZABLE, false));
    assertThat(database.contains(B)).isFalse();
  }

  @Test
  void whatIsRequiredToBeUnchangedIsAsIfItWereWritten() {
    assertConflict(A, skewedCommit(Isolation.SNAPSHOT, true));
    assertThat(database.contains(B)).isFalse();
  }

  /** What a cursor has found, and that there was nothing between. */
  @Test
  void serializableTransactionsHaveNoPhantoms() {
    database.put(key(10), A);
    database.put(key(20), A);
    database.put(key(30), A);
    List<Integer> noticed = new ArrayList<>();
    for (int inserted = 0; inserted < 50; inserted += 5) {
      try (Transaction transaction = begin(Isolation.SERIALIZABLE)) {
        KeyRange range = KeyRange.between(key(5), key(40));
        try (Cursor forward = transaction.cursor(database, range);
            Cursor backward = transaction.cursor(database, range)) {
          assertThat(forward.next()).isTrue(); // 5 to 10
          assertThat(backward.previous()).isTrue(); // 30 to 40
          assertThat(forward.seek(key(20))).isTrue(); // 20
        }
        transaction.put(database, A, A);
        database.put(key(inserted), B);
        transaction.commit();
      } catch (ConflictException e) {
        assertThat(e.key()).isEqualTo(key(inserted));
        noticed.add(inserted);
      }
      if (inserted % 10 == 5 || inserted == 0 || inserted == 40) {
        database.delete(key(inserted));
      }
    }
    assertThat(noticed).containsExactly(5, 10, 20, 30, 35);
  }

  /** Of what lies at the ends of what was read, and between, nothing is overlooked. */
  @Test
  void aSerializableTransactionFailsWhereItHasReadAndNowhereElse() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      database.deleteRange(KeyRange.all());
      for (int i = 0; i < KEYS; i += 1 + random.nextInt(12)) {
        database.put(key(i), A);
      }
      Set<Integer> read = new TreeSet<>();
      List<String> steps = new ArrayList<>();
      int other = random.nextInt(KEYS);
      boolean fails = false;
      try (Transaction transaction = begin(Isolation.SERIALIZABLE)) {
        for (int i = random.nextInt(6); i >= 0; i--) {
          read(transaction, random, read, steps);
        }
        transaction.put(database, A, A);
        if (random.nextBoolean()) {
          database.put(key(other), B);
        } else {
          database.delete(key(other));
        }
        transaction.commit();
      } catch (ConflictException e) {
        fails = true;
      }
      assertThat(fails)
          .as("seed %d, round %d: %s, then %d is written", seed, round, steps, other)
          .isEqualTo(read.contains(other));
    }
  }

  /** Reads a key, or all of a range in one of the directions. */
  private void read(Transaction transaction, Random random, Set<Integer> read, List<String> steps) {
    if (random.nextInt(3) == 0) {
      int number = random.nextInt(KEYS);
      var unused = transaction.get(database, key(number));
      read.add(number);
      steps.add("get " + number);
      return;
    }
    KeyRange range = drawRange(random);
    boolean forward = random.nextBoolean();
    try (Cursor cursor = transaction.cursor(database, range)) {
      while (forward ? cursor.next() : cursor.previous()) {}
    }
    List<Integer> passed = numbers(range).boxed().toList();
    read.addAll(passed);
    steps.add((forward ? "forward through " : "backward through ") + passed);
  }

  /** One without a bound now and then. */
  private static KeyRange drawRange(Random random) {
    int from = random.nextInt(KEYS);
    return switch (random.nextInt(12)) {
      case 0 -> KeyRange.atLeast(key(from));
      case 1 -> KeyRange.lessThan(key(from));
      default -> KeyRange.between(key(from), key(from + 1 + random.nextInt(10)));
    };
  }

  private static IntStream numbers(KeyRange range) {
    return IntStream.range(0, KEYS).filter(number -> range.contains(key(number)));
  }

  /** They overlap, touch, or lie in each other, and are written to again. */
  @Test
  void rangesThatAreDeletedAreGoneForTheTransactionAndAfterItsCommitForAll() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      String name = "seed " + seed + ", round " + round;
      for (int i = 0; i < KEYS; i++) {
        database.put(key(i), A);
      }
      Set<String> before = SmallStores.content(database).keySet();
      Set<String> left = new TreeSet<>(before);
      boolean commits = random.nextInt(3) > 0;
      try (Transaction transaction = store.beginTransaction()) {
        for (int i = 0; i < 8; i++) {
          if (random.nextInt(4) == 0) {
            byte[] again = key(random.nextInt(KEYS));
            transaction.put(database, again, B);
            left.add(text(again));
          } else {
            KeyRange range = drawRange(random);
            transaction.deleteRange(database, range);
            numbers(range).forEach(number -> left.remove(text(key(number))));
          }
          assertThat(keys(transaction)).as(name).isEqualTo(left);
          assertThat(keysForward(transaction)).as(name).isEqualTo(left);
          assertThat(keysBackward(transaction)).as(name).isEqualTo(left);
        }
        if (commits) {
          transaction.commit();
        }
      }
      assertThat(SmallStores.content(database).keySet())
          .as(name)
          .isEqualTo(commits ? left : before);
    }
  }

  private Set<String> keys(Transaction transaction) {
    Set<String> found = new TreeSet<>();
    for (int i = 0; i < KEYS; i++) {
      boolean isThere = transaction.contains(database, key(i));
      assertThat(transaction.get(database, key(i)) != null).isEqualTo(isThere);
      if (isThere) {
        found.add(text(key(i)));
      }
    }
    return found;
  }

  private Set<String> keysForward(Transaction transaction) {
    try (Cursor cursor = transaction.cursor(database)) {
      return SmallStores.rest(cursor).keySet();
    }
  }

  private Set<String> keysBackward(Transaction transaction) {
    Set<String> found = new TreeSet<>();
    try (Cursor cursor = transaction.cursor(database)) {
      while (cursor.previous()) {
        found.add(text(cursor.key()));
      }
    }
    return found;
  }

  @ParameterizedTest
  @EnumSource
  void oneThatOnlyReadsHasNoConflict(Isolation isolation) {
    try (Transaction transaction = begin(isolation)) {
      assertThat(transaction.contains(database, A)).isFalse();
      database.put(A, A);
      assertThat(transaction.contains(database, A)).isFalse();
      transaction.commit();
    }
  }

  @ParameterizedTest
  @EnumSource
  void incrementsOfManyThreadsAreAllCounted(Isolation isolation) {
    int increments = 60;
    TransactionOptions options =
        TransactionOptions.builder().isolation(isolation).attempts(10_000).build();
    Database second = store.openOrCreateDatabase("second");
    Threads.run(
        8,
        thread -> {
          for (int i = 0; i < increments; i++) {
            store.<@Nullable Object>inTransaction(
                options,
                transaction -> {
                  for (Database counted : List.of(database, second)) {
                    String before = text(transaction.get(counted, A));
                    int next = before == null ? 1 : Integer.parseInt(before) + 1;
                    transaction.put(counted, A, bytes(String.valueOf(next)));
                    transaction.put(counted, key(thread), new byte[300]);
                  }
                  return null;
                });
          }
        });
    assertThat(text(database.get(A))).isEqualTo(String.valueOf(8 * increments));
    assertThat(text(second.get(A))).isEqualTo(String.valueOf(8 * increments));
  }

  @Test
  void workIsRepeatedUntilItsReadsAreTrue() {
    AtomicInteger attempts = new AtomicInteger();
    String result =
        store.inTransaction(
            transaction -> {
              transaction.put(database, A, bytes("mine"));
              if (attempts.incrementAndGet() < 3) {
                database.put(A, bytes("other " + attempts));
              }
              return "done";
            });
    assertThat(result).isEqualTo("done");
    assertThat(attempts).hasValue(3);
    assertThat(text(database.get(A))).isEqualTo("mine");
  }

  @Test
  void attemptsEnd() {
    AtomicInteger attempts = new AtomicInteger();
    TransactionOptions options = TransactionOptions.builder().attempts(4).build();
    assertThatThrownBy(
            () ->
                store.<@Nullable Object>inTransaction(
                    options,
                    transaction -> {
                      transaction.put(database, A, bytes("mine"));
                      database.put(A, bytes("other " + attempts.incrementAndGet()));
                      return null;
                    }))
        .isInstanceOfSatisfying(
            ConflictException.class,
            conflict -> {
              assertThat(conflict.key()).isEqualTo(A);
              assertThat(conflict.database()).isEqualTo("default");
            })
        .hasMessageContaining("in each of 4 attempts")
        .hasMessageContaining("key \"a\" of database default was written by another")
        .hasCauseInstanceOf(ConflictException.class);
    assertThat(attempts).hasValue(4);
    assertThatThrownBy(() -> TransactionOptions.builder().attempts(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("attempts is 0; allowed: 1 or more");
  }

  @Test
  void workThatFailsOrClosesCommitsNothing() {
    assertThatThrownBy(
            () ->
                store.<@Nullable Object>inTransaction(
                    transaction -> {
                      transaction.put(database, A, A);
                      throw new UnsupportedOperationException("on purpose");
                    }))
        .isInstanceOf(UnsupportedOperationException.class);
    store.<@Nullable Object>inTransaction(
        transaction -> {
          transaction.put(database, A, A);
          transaction.close();
          return null;
        });
    assertThat(database.contains(A)).isFalse();
    assertThat(
            store.<byte[]>inTransaction(
                transaction -> {
                  transaction.put(database, A, A);
                  transaction.commit(WriteOptions.SYNC); // itself
                  return A;
                }))
        .isEqualTo(A);
    assertThat(database.contains(A)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void severalKeysAreReadTogether(Isolation isolation) {
    database.put(A, value(1, 1));
    database.put(B, value(2, 1));
    try (Transaction transaction = begin(isolation)) {
      database.put(A, value(1, 2));
      transaction.put(database, C, value(3, 1));
      transaction.delete(database, B);
      List<byte @Nullable []> values = transaction.multiGet(database, List.of(C, A, B, key(7), A));
      assertThat(values).containsExactly(value(3, 1), value(1, 1), null, null, value(1, 1));
      Objects.requireNonNull(values.get(0))[0] = 0;
      assertThat(transaction.get(database, C)).isEqualTo(value(3, 1));
      assertThat(transaction.multiGet(database, List.of())).isEmpty();
      if (isolation == Isolation.SERIALIZABLE) {
        assertConflict(A, transaction::commit);
      } else {
        transaction.commit();
        assertThat(database.get(B)).isNull();
      }
    }
  }

  @Test
  void operandsAreMergedInto() {
    Database sums =
        store.createDatabase(
            "sums", DatabaseOptions.builder().mergeOperator(MergeOperators.ADD_LONG).build());
    sums.merge(A, MergeOperators.ofLong(5));
    try (Transaction transaction = store.beginTransaction()) {
      transaction.merge(sums, A, MergeOperators.ofLong(1));
      transaction.merge(sums, A, MergeOperators.ofLong(1));
      transaction.merge(sums, B, MergeOperators.ofLong(3));
      transaction.delete(sums, A);
      transaction.merge(sums, A, MergeOperators.ofLong(10));
      transaction.merge(sums, A, MergeOperators.ofLong(1));
      assertThat(transaction.get(sums, A)).isEqualTo(MergeOperators.ofLong(11));
      assertThat(sums.get(A)).isEqualTo(MergeOperators.ofLong(5));
      assertThatThrownBy(() -> transaction.merge(sums, A, B))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> transaction.merge(database, A, MergeOperators.ofLong(1)))
          .isInstanceOf(IllegalStateException.class);
      transaction.commit();
    }
    assertThat(sums.get(A)).isEqualTo(MergeOperators.ofLong(11));
    assertThat(sums.get(B)).isEqualTo(MergeOperators.ofLong(3));
    Transaction late = store.beginTransaction();
    late.merge(sums, B, MergeOperators.ofLong(1));
    sums.merge(B, MergeOperators.ofLong(1));
    assertConflict(B, late::commit);
  }

  @Test
  void anEndedTransactionIsRefused() {
    Transaction transaction = store.beginTransaction();
    Cursor cursor = transaction.cursor(database);
    transaction.close();
    transaction.close();
    List<ThrowingCallable> uses =
        List.of(
            () -> transaction.get(database, A),
            () -> transaction.contains(database, A),
            () -> transaction.put(database, A, A),
            () -> transaction.delete(database, A),
            () -> transaction.deleteRange(database, KeyRange.all()),
            () -> transaction.requireUnchanged(database, A),
            () -> transaction.cursor(database),
            transaction::commit,
            cursor::next,
            cursor::isValid);
    for (ThrowingCallable use : uses) {
      assertThatThrownBy(use)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the transaction has ended");
    }
    cursor.close();
  }

  @Test
  void badArgumentsAreRefused(@TempDir Path other) {
    try (Store stranger = SmallStores.open(other);
        Transaction transaction = store.beginTransaction()) {
      List<ThrowingCallable> uses =
          List.of(
              () -> transaction.get(stranger.database(), A),
              () -> transaction.put(stranger.database(), A, A),
              () -> transaction.cursor(stranger.database()),
              () -> transaction.get(database, nothing()),
              () -> transaction.put(database, A, nothing()),
              () -> transaction.put(database, new byte[(1 << 16) + 1], A),
              () -> transaction.deleteRange(database, nothing()),
              () -> transaction.deleteRange(nothing(), KeyRange.all()),
              () -> transaction.deleteRange(database, KeyRange.atLeast(new byte[1 << 17])),
              () -> transaction.commit(nothing()),
              () -> store.beginTransaction(nothing()),
              () -> store.inTransaction(nothing()));
      for (ThrowingCallable use : uses) {
        assertThatThrownBy(use).isInstanceOf(IllegalArgumentException.class);
      }
      transaction.deleteRange(database, KeyRange.between(B, A)); // none
      database.put(A, A);
      transaction.commit();
    }
    assertThat(database.contains(A)).isTrue();
  }

  @Test
  void aDroppedDatabaseIsGoneForThemToo() {
    Database dropped = store.openOrCreateDatabase("dropped");
    try (Transaction transaction = store.beginTransaction()) {
      transaction.put(dropped, A, A);
      transaction.put(database, A, A);
      store.dropDatabase("dropped");
      assertThatThrownBy(transaction::commit)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("dropped");
    }
    assertThat(database.contains(A)).isFalse();
  }
}
