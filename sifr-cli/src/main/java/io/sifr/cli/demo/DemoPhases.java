package io.sifr.cli.demo;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.cli.record.TextBytes;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the demonstration: each is repeated many times and measured, and its answers
 * are checked. Not thread-safe.
 */
final class DemoPhases {
  static final int SCAN_ENTRIES = 100;

  /** One entry in this many is deleted. */
  private static final int DELETED_ONE_IN = 10;

  private static final long MOST_OPERATIONS = 1_000_000;
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final long SEED = 42;

  /** Decides where scans begin. */
  static final long SCAN_SEED = SEED + 1;

  private final Console console;
  private final Workload workload;
  private final long entries;
  private final LargestNumbers largest = new LargestNumbers(SCAN_ENTRIES);

  /**
   * @param workload a workload without equal keys
   * @param entries number of entries loaded
   */
  DemoPhases(Console console, Workload workload, long entries) {
    this.console = console;
    this.workload = workload;
    this.entries = entries;
  }

  /** Whether the demonstration deletes the n-th entry. */
  boolean isDeleted(long n) {
    return n % DELETED_ONE_IN == 0;
  }

  private long deletedEntries() {
    return (entries + DELETED_ONE_IN - 1) / DELETED_ONE_IN;
  }

  PhaseResult load(Store store, SpacePeak peak) {
    Database database = store.database();
    return run(
        "load",
        entries,
        new Operation() {
          private byte[] key = {};
          private byte[] value = {};

          @Override
          void prepare(long n) {
            long number = workload.number(n);
            largest.add(number);
            key = Workload.keyOf(number);
            value = Workload.valueOf(number);
            peak.sample();
          }

          @Override
          void call() {
            database.put(key, value);
          }
        });
  }

  PhaseResult readHits(Database database) {
    SplittableRandom random = new SplittableRandom(SEED);
    return run(
        "read, present",
        Math.min(entries, MOST_OPERATIONS),
        new Get(database) {
          @Override
          void prepare(long n) {
            expectValue(random.nextLong(entries));
          }
        });
  }

  PhaseResult readMisses(Database database) {
    return run(
        "read, absent",
        Math.min(entries, MOST_OPERATIONS),
        new Get(database) {
          @Override
          void prepare(long n) {
            expectNothing(entries + n);
          }
        });
  }

  PhaseResult scan(Database database) {
    SplittableRandom random = new SplittableRandom(SCAN_SEED);
    return run(
        "scan of " + SCAN_ENTRIES,
        Math.min(entries, MOST_OPERATIONS) / (2 * SCAN_ENTRIES),
        new Scan(database) {
          @Override
          void prepare(long n) {
            from(workload.number(random.nextLong(entries)));
          }
        });
  }

  PhaseResult delete(Database database) {
    return run(
        "delete",
        deletedEntries(),
        new Operation() {
          private byte[] key = {};

          @Override
          void prepare(long n) {
            key = workload.key(n * DELETED_ONE_IN);
          }

          @Override
          void call() {
            database.delete(key);
          }
        });
  }

  PhaseResult readDeleted(Database database) {
    return run(
        "read, deleted",
        deletedEntries(),
        new Get(database) {
          @Override
          void prepare(long n) {
            expectNothing(n * DELETED_ONE_IN);
          }
        });
  }

  /** Scans everything: the expected number of entries, in order, each with its value. */
  PhaseResult scanAll(Database database) {
    long expected = entries - deletedEntries();
    try (Cursor cursor = database.cursor()) {
      PhaseResult result =
          run(
              "full scan",
              expected,
              new Operation() {
                private long before = -1;

                @Override
                void prepare(long n) {}

                @Override
                void call() {
                  cursor.next();
                }

                @Override
                void verify() {
                  if (!cursor.isValid()) {
                    throw new VerificationException(
                        "a full scan of " + expected + " entries ends too early");
                  }
                  before = verifyEntry(cursor.key(), cursor.value(), before);
                }
              });
      if (cursor.next()) {
        throw new VerificationException(
            "a full scan finds more than the " + expected + " entries that there are");
      }
      return result;
    }
  }

  /** Reads random entries that were loaded long ago, including deleted ones. */
  void verifySample(Database database, long reads) {
    SplittableRandom random = new SplittableRandom(SEED + 2);
    var unused =
        run(
            "read again",
            Math.min(entries, reads),
            new Get(database) {
              @Override
              void prepare(long n) {
                long entry = random.nextLong(entries);
                if (isDeleted(entry)) {
                  expectNothing(entry);
                } else {
                  expectValue(entry);
                }
              }
            });
  }

  /** Reads consecutive entries that must all be present. */
  void verifyPresent(Database database, long first, long count) {
    var unused =
        run(
            "read acknowledged",
            count,
            new Get(database) {
              @Override
              void prepare(long n) {
                expectValue(first + n);
              }
            });
  }

  private PhaseResult run(String name, long operations, Operation operation) {
    Histogram latencies = new Histogram(LONGEST_NANOS, SIGNIFICANT_DIGITS);
    long storeNanos = 0;
    try (ProgressBar bar = ProgressBar.ofCount(console, name, operations)) {
      for (long n = 0; n < operations; n++) {
        operation.prepare(n);
        long begin = System.nanoTime();
        operation.call();
        long nanos = System.nanoTime() - begin;
        operation.verify();
        storeNanos += nanos;
        latencies.recordValue(Math.min(nanos, LONGEST_NANOS));
        bar.update(n + 1);
      }
    }
    return new PhaseResult(name, operations, storeNanos, latencies);
  }

  /**
   * Checks one entry of a scan.
   *
   * @param before number in the key of the entry before, or -1
   * @return number in its key
   */
  static long verifyEntry(byte[] key, byte[] value, long before) {
    long number = Workload.numberOf(key);
    if (number < 0) {
      throw new VerificationException("a scan found the key " + TextBytes.escape(key));
    }
    if (number <= before) {
      throw new VerificationException(
          "a scan found " + TextBytes.escape(key) + " after number " + before);
    }
    verifyValue(key, Workload.valueOf(number), value);
    return number;
  }

  private static void verifyValue(
      byte[] key, byte @Nullable [] expected, byte @Nullable [] actual) {
    if (!Arrays.equals(expected, actual)) {
      throw new VerificationException(
          "the value of "
              + TextBytes.escape(key)
              + " is "
              + text(actual)
              + ", not "
              + text(expected));
    }
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "missing" : TextBytes.toHex(value);
  }

  /** A get whose answer is known. */
  private abstract class Get extends Operation {
    private final Database database;
    private byte[] key = {};
    private byte @Nullable [] expected;
    private byte @Nullable [] actual;

    Get(Database database) {
      this.database = database;
    }

    void expectValue(long n) {
      key = workload.key(n);
      expected = workload.value(n);
    }

    void expectNothing(long n) {
      key = workload.key(n);
      expected = null;
    }

    @Override
    void call() {
      actual = database.get(key);
    }

    @Override
    void verify() {
      verifyValue(key, expected, actual);
    }
  }

  /** A scan that begins at a present entry. */
  private abstract class Scan extends Operation {
    private final Database database;
    private final byte[][] keys = new byte[SCAN_ENTRIES][];
    private final byte[][] values = new byte[SCAN_ENTRIES][];
    private long firstNumber;
    private byte[] firstKey = {};
    private int found;

    Scan(Database database) {
      this.database = database;
    }

    void from(long number) {
      firstNumber = number;
      firstKey = Workload.keyOf(number);
    }

    @Override
    void call() {
      found = 0;
      try (Cursor cursor = database.cursor(KeyRange.atLeast(firstKey))) {
        while (found < SCAN_ENTRIES && cursor.next()) {
          keys[found] = cursor.key();
          values[found] = cursor.value();
          found++;
        }
      }
    }

    @Override
    void verify() {
      int expected = largest.countFrom(firstNumber);
      if (found != expected || !Arrays.equals(keys[0], firstKey)) {
        throw new VerificationException(
            "a scan from "
                + TextBytes.escape(firstKey)
                + " found "
                + found
                + " entries, not "
                + expected
                + ", or does not begin there");
      }
      long before = -1;
      for (int i = 0; i < found; i++) {
        before = verifyEntry(keys[i], values[i], before);
      }
    }
  }
}
