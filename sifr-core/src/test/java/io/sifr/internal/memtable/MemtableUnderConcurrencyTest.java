package io.sifr.internal.memtable;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.Padded;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One writer and two readers: what was added before a read began is found, whole and in order. */
class MemtableUnderConcurrencyTest {
  private static final int ENTRIES = 60_000;
  private static final int VALUE_BYTES = 24;

  /**
   * Orders of insertion; each takes other ways of splitting, and all narrow the common prefix now
   * and then.
   */
  enum Order {
    ASCENDING,
    DESCENDING,
    SHUFFLED
  }

  private final AtomicInteger added = new AtomicInteger();
  private byte[][] keys = {};

  /** The memtable that is read while it is filled. */
  private volatile Memtable current = new Memtable(1 << 20);

  @ParameterizedTest
  @EnumSource
  void readersFindAllThatWasAddedBefore(Order order) throws Exception {
    keys = keys(order);
    Memtable memtable = new Memtable(32 << 20);
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> running = new ArrayList<>();
      running.add(threads.submit(() -> readPoints(memtable)));
      running.add(threads.submit(() -> readRanges(memtable)));
      running.add(threads.submit(() -> write(memtable)));
      for (Future<?> future : running) {
        future.get(2, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(memtable.entries()).isEqualTo(ENTRIES);
  }

  /** Small memtables, whose first nodes are copied to larger arrays again and again. */
  @Test
  void readersFindAllWhileTheFirstNodesAreCopied() throws Exception {
    int memtables = 3_000;
    int entries = 400;
    keys = keys(Order.SHUFFLED);
    ExecutorService threads = Executors.newFixedThreadPool(1);
    try {
      Future<?> reading =
          threads.submit(
              () -> {
                for (Memtable read = current; ; read = current) {
                  int known = (int) read.maxSequence();
                  if (known > entries) {
                    return;
                  }
                  assertThat(count(read.iterator(), known, true)).isEqualTo(known);
                  assertThat(count(read.iterator(), known, false)).isEqualTo(known);
                }
              });
      byte[] value = new byte[VALUE_BYTES];
      for (int round = 0; round < memtables && !reading.isDone(); round++) {
        Memtable memtable = new Memtable(1 << 20);
        current = memtable;
        int last = round == memtables - 1 ? entries + 1 : entries;
        for (int i = 0; i < last; i++) {
          memtable.add(
              Trailer.of(i + 1, EntryKind.PUT), keys[i], 0, keys[i].length, value, 0, VALUE_BYTES);
        }
      }
      reading.get(2, TimeUnit.MINUTES);
    } finally {
      threads.shutdownNow();
    }
  }

  private static byte[][] keys(Order order) {
    int[] numbers = new int[ENTRIES];
    Random random = new Random(42);
    for (int i = 0; i < ENTRIES; i++) {
      numbers[i] = order == Order.DESCENDING ? ENTRIES - i : i;
      if (order == Order.SHUFFLED) {
        int j = random.nextInt(i + 1);
        numbers[i] = numbers[j];
        numbers[j] = i;
      }
    }
    byte[][] keys = new byte[ENTRIES][];
    for (int i = 0; i < ENTRIES; i++) {
      keys[i] = ("user" + Padded.number(numbers[i] * 37L, 15)).getBytes(US_ASCII);
    }
    return keys;
  }

  /** The i-th entry has sequence number i+1 and, in its value, three times i. */
  private void write(Memtable memtable) {
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; i < ENTRIES; i++) {
      for (int at = 0; at < VALUE_BYTES; at += 8) {
        Bytes.putLong(value, at, i);
      }
      memtable.add(
          Trailer.of(i + 1, EntryKind.PUT), keys[i], 0, keys[i].length, value, 0, VALUE_BYTES);
      added.set(i + 1);
    }
  }

  private void readPoints(Memtable memtable) {
    Random random = new Random(1);
    Lookup lookup = new Lookup();
    byte[] value = new byte[VALUE_BYTES];
    int known = 0;
    while (known < ENTRIES) {
      known = added.get();
      for (int i = 0; i < 20 && known > 0; i++) {
        int wanted = random.nextBoolean() ? known - 1 : random.nextInt(known);
        byte[] key = keys[wanted];
        assertThat(memtable.get(key, 0, key.length, known, lookup)).isTrue();
        assertThat(Trailer.sequence(lookup.trailer())).isEqualTo(wanted + 1);
        lookup.copyTo(value, 0);
        for (int at = 0; at < VALUE_BYTES; at += 8) {
          assertThat(Bytes.getLong(value, at)).isEqualTo(wanted);
        }
      }
    }
  }

  private void readRanges(Memtable memtable) {
    Random random = new Random(2);
    EntryIterator iterator = memtable.iterator();
    int known = 0;
    while (known < ENTRIES) {
      known = added.get();
      if (known > 0 && random.nextInt(20) == 0) {
        assertThat(count(iterator, known, true)).isEqualTo(known);
        assertThat(count(iterator, known, false)).isEqualTo(known);
      } else if (known > 0) {
        byte[] key = keys[random.nextInt(known)];
        assertThat(iterator.seek(key, 0, key.length, Trailer.seek(known))).isTrue();
        assertThat(keyOrder(key, iterator)).isZero();
      }
    }
  }

  /**
   * Iterates over everything, looks at the order, and counts the entries with a sequence number up
   * to {@code known}.
   */
  private static int count(EntryIterator iterator, int known, boolean forward) {
    int count = 0;
    byte[] last = Bytes.EMPTY;
    boolean on = forward ? iterator.seekToFirst() : iterator.seekToLast();
    while (on) {
      if (last.length > 0) {
        int order = keyOrder(last, iterator);
        assertThat(forward ? order : -order).isNegative();
      }
      last = new byte[iterator.keyLength()];
      System.arraycopy(iterator.keyArray(), iterator.keyOffset(), last, 0, last.length);
      count += Trailer.sequence(iterator.trailer()) <= known ? 1 : 0;
      on = forward ? iterator.next() : iterator.previous();
    }
    return count;
  }

  private static int keyOrder(byte[] key, EntryIterator iterator) {
    return Bytes.compare(
        key, 0, key.length, iterator.keyArray(), iterator.keyOffset(), iterator.keyLength());
  }
}
