package io.sifr.bench.driver;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.store.BenchStore;
import io.sifr.bench.store.StoreFigures;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import io.sifr.bench.workload.WrongAnswerException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The driver finds out every store that does one kind of thing wrong. Each stands on a real store
 * and does it wrong one time in twenty: so often that no order of threads hides all of it.
 */
@Tag("model")
class PlantedFaultTest {
  private static final int ENTRIES = 2_000;

  @TempDir Path directory;

  private enum Fault {
    /** A get answers with a changed bit. */
    CHANGED_VALUE,
    /** A get answers with the value of another key. */
    OTHER_VALUE,
    /** A get does not find what is there. */
    LOST_KEY,
    /** A write is forgotten. */
    LOST_WRITE,
    /** A removal is forgotten. */
    LOST_REMOVAL,
    /** A key that is not there is found. */
    INVENTED_KEY,
    /** A scan leaves an entry out. */
    LOST_IN_SCAN,
    /** A scan ends too early. */
    SHORT_SCAN,
    /** A scan exchanges two entries. */
    WRONG_ORDER,
    /** A scan answers with an entry twice. */
    REPEATED_IN_SCAN,
    /** A scan answers with a changed bit in a value. */
    CHANGED_IN_SCAN,
    /** A scan answers with a key nobody wrote. */
    INVENTED_IN_SCAN
  }

  @ParameterizedTest
  @CsvSource({
    "CHANGED_VALUE, readrandom",
    "CHANGED_VALUE, readhot",
    "CHANGED_VALUE, readwhilewriting",
    "CHANGED_VALUE, ycsb-a",
    "CHANGED_VALUE, ycsb-d",
    "CHANGED_VALUE, ycsb-f",
    "OTHER_VALUE, readrandom",
    "LOST_KEY, readrandom",
    "LOST_KEY, ycsb-b",
    "LOST_KEY, ycsb-c",
    "LOST_WRITE, 'fillseq,readrandom'",
    "LOST_WRITE, 'fillrandom,scan'",
    "LOST_WRITE, 'overwrite,readrandom'",
    "LOST_WRITE, 'overwrite,scan'",
    "LOST_REMOVAL, 'deleterandom,readrandom'",
    "LOST_REMOVAL, 'deleterandom,scan'",
    "LOST_REMOVAL, 'deleterandom,seekrandom'",
    "INVENTED_KEY, readmissing",
    "LOST_IN_SCAN, scan",
    "LOST_IN_SCAN, ycsb-e",
    "SHORT_SCAN, scan",
    "SHORT_SCAN, seekrandom",
    "WRONG_ORDER, scan",
    "REPEATED_IN_SCAN, scan",
    "CHANGED_IN_SCAN, scan",
    "CHANGED_IN_SCAN, seekrandom",
    "INVENTED_IN_SCAN, scan"
  })
  void isFound(Fault fault, String workloads) {
    for (int threads : new int[] {1, 3}) {
      StoreRun run = run(workloads, threads, store -> new FaultyStore(store, fault));
      assertThatThrownBy(() -> run.run(result -> {}))
          .as("%s in %s with %d threads", fault, workloads, threads)
          .isInstanceOf(WrongAnswerException.class);
    }
  }

  @Test
  void aRightStorePassesAllWorkloads() {
    String all = String.join(",", Arrays.stream(Workload.values()).map(Workload::label).toList());
    for (int threads : new int[] {1, 3}) {
      run(all, threads, store -> store).run(result -> {});
    }
  }

  private interface Wrapping {
    BenchStore around(BenchStore store);
  }

  private StoreRun run(String workloads, int threads, Wrapping wrapping) {
    RunSpec spec =
        Specs.of(
            StoreKind.SIFR,
            Arrays.stream(workloads.split(",")).map(Workload::of).toList(),
            ENTRIES,
            ENTRIES,
            threads);
    return new StoreRun(
        spec,
        path -> wrapping.around(StoreKind.SIFR.open(path, spec.terms(), spec.expectedBytes())),
        directory.resolve("store"),
        Specs.SILENT);
  }

  /** Does one thing wrong, seldom. */
  private static final class FaultyStore implements BenchStore {
    private static final int PERIOD = 20;

    private final BenchStore right;
    private final Fault fault;
    private int calls;
    private byte[] lastKey = {};

    FaultyStore(BenchStore right, Fault fault) {
      this.right = right;
      this.fault = fault;
    }

    private synchronized boolean strikes(Fault... asked) {
      return Arrays.asList(asked).contains(fault) && ++calls % PERIOD == 0;
    }

    @Override
    public void put(byte[] key, byte[] value) {
      lastKey = key;
      if (!strikes(Fault.LOST_WRITE)) {
        right.put(key, value);
      }
    }

    @Override
    public void delete(byte[] key) {
      if (!strikes(Fault.LOST_REMOVAL)) {
        right.delete(key);
      }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      byte[] value = right.get(key);
      if (strikes(Fault.CHANGED_VALUE)) {
        return changed(value == null ? new byte[1] : value);
      } else if (strikes(Fault.OTHER_VALUE)) {
        return right.get(lastKey);
      } else if (strikes(Fault.LOST_KEY)) {
        return null;
      } else if (strikes(Fault.INVENTED_KEY)) {
        return new byte[] {1};
      }
      return value;
    }

    private static byte[] changed(byte[] value) {
      byte[] changed = value.clone();
      changed[changed.length - 1] ^= 1;
      return changed;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(byte[] key, byte[] value) {}

    @Override
    public int scan(byte[] from, int limit, EntryVisitor visitor) {
      List<Entry> entries = new ArrayList<>();
      right.scan(from, limit, (key, value) -> entries.add(new Entry(key, value)));
      int last = entries.size() - 1;
      if (last >= 0) {
        Entry end = entries.get(last);
        if (strikes(Fault.SHORT_SCAN)) {
          entries.remove(last);
        } else if (strikes(Fault.CHANGED_IN_SCAN)) {
          entries.set(last, new Entry(end.key(), changed(end.value())));
        }
      }
      if (last >= 2) {
        if (strikes(Fault.LOST_IN_SCAN)) {
          entries.remove(last / 2);
        } else if (strikes(Fault.WRONG_ORDER)) {
          entries.add(entries.remove(last - 1));
        } else if (strikes(Fault.REPEATED_IN_SCAN)) {
          entries.add(1, entries.get(0));
        } else if (strikes(Fault.INVENTED_IN_SCAN)) {
          entries.add(1, new Entry(Arrays.copyOf(entries.get(0).key(), 24), new byte[1]));
        }
      }
      entries.forEach(entry -> visitor.visit(entry.key(), entry.value()));
      return entries.size();
    }

    @Override
    public void drain() {
      right.drain();
    }

    @Override
    public StoreFigures figures() {
      return right.figures();
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
