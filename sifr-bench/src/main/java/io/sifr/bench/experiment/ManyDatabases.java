package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.measure.ProcessFigures;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.store.MapsKind;
import io.sifr.bench.store.NamedMaps;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Many small databases in one store: what each takes of time, memory and files. */
final class ManyDatabases implements Experiment {
  private static final int ENTRIES = 50;
  private static final long SEED = 1;

  /** A store that takes longer to be filled has as many databases as it has got by then. */
  private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(2);

  @Override
  public String name() {
    return "many-databases";
  }

  @Override
  public String title() {
    return "many small databases in one store (in no paper)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    List<Cost> costs = new ArrayList<>();
    for (MapsKind kind : MapsKind.values()) {
      laboratory.tell(kind.label() + ": " + laboratory.scale().databases() + " databases");
      costs.add(measure(laboratory, kind));
    }
    return new Findings(laboratory.scale())
        .text(
            "Each database gets "
                + ENTRIES
                + " entries of the papers' shape, one after the other; then all are flushed, the"
                + " store is closed and opened again, and an entry of each is read. A database is a"
                + " column family of RocksDB. The write buffer is that of each store's default.")
        .add(
            new Block.BarPlot(
                "Time",
                Block.Axis.logarithmic("seconds"),
                List.of("load", "flush", "close", "open", "read one each"),
                costs.stream().map(Cost::bars).toList()))
        .add(
            new Block.Table(
                List.of(
                    "store",
                    "databases",
                    "load s",
                    "flush s",
                    "close s",
                    "open s",
                    "reads s",
                    "heap KiB each, loaded",
                    "heap, flushed",
                    "heap, opened",
                    "process KiB each, loaded",
                    "process, flushed",
                    "process, opened",
                    "files"),
                costs.stream().map(Cost::row).toList()))
        .comparable(
            "the stores with each other, in a process whose heap is limited (-Xmx1g). Both kinds of"
                + " memory are what there is more of than before the store was opened: of the heap"
                + " after a garbage collection, and of all memory of the process, of which the heap"
                + " is a part that hardly shrinks. Each database is also known to the experiment by"
                + " a small object.");
  }

  private static Cost measure(Laboratory laboratory, MapsKind kind) {
    Path directory = laboratory.directory().resolve("sifr-bench-many-databases");
    Dataset dataset = new Dataset(Shape.PAPER, ENTRIES, true, SEED);
    int databases = laboratory.scale().databases();
    Cost cost = new Cost(kind.label());
    try {
      try (NamedMaps store = kind.open(directory)) {
        long start = System.nanoTime();
        while (cost.databases < databases && System.nanoTime() - start < MOST_NANOS) {
          store.create(name(cost.databases));
          for (int i = 0; i < ENTRIES; i++) {
            store.put(cost.databases, dataset.keys().key(i), dataset.values().value(i, 1));
          }
          cost.databases++;
        }
        cost.took(start);
        cost.taken();
        start = System.nanoTime();
        store.flush();
        cost.took(start);
        cost.taken();
        start = System.nanoTime();
        store.close();
        cost.took(start);
      }
      long start = System.nanoTime();
      try (NamedMaps store = kind.open(directory)) {
        cost.took(start);
        start = System.nanoTime();
        for (int database = 0; database < cost.databases; database++) {
          byte[] value = store.get(database, dataset.keys().key(database % ENTRIES));
          if (value == null || !dataset.values().matches(value, database % ENTRIES, 1)) {
            throw new IllegalStateException(
                "database " + database + " of " + kind.label() + " has a wrong value");
          }
        }
        cost.took(start);
        cost.taken();
        cost.files = DiskSpace.fileSizes(directory).size();
      }
    } finally {
      DiskSpace.delete(directory);
    }
    return cost;
  }

  /** Names in the order of the numbers, since a store may list them sorted. */
  static String name(int database) {
    return String.format(Locale.ROOT, "database-%08d", database);
  }

  /** Bytes in use on the heap. */
  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** What a store took. */
  private static final class Cost {
    private final String store;
    private int databases;
    private final List<Double> seconds = new ArrayList<>();
    private final long heapBefore = heap();
    private final long processBefore = ProcessFigures.privateMemoryBytes().orElse(0);
    private final List<Double> heapKib = new ArrayList<>();
    private final List<Double> processKib = new ArrayList<>();
    private int files;

    private Cost(String store) {
      this.store = store;
    }

    private void took(long start) {
      seconds.add((System.nanoTime() - start) / 1e9);
    }

    private void taken() {
      heapKib.add((heap() - heapBefore) / 1024.0 / databases);
      processKib.add(
          (ProcessFigures.privateMemoryBytes().orElse(0) - processBefore) / 1024.0 / databases);
    }

    private Block.Bars bars() {
      return new Block.Bars(store, List.copyOf(seconds));
    }

    private List<String> row() {
      List<String> row = new ArrayList<>(List.of(store, Figures.count(databases)));
      seconds.forEach(time -> row.add(Numbers.number(time)));
      heapKib.forEach(kib -> row.add(Numbers.number(kib)));
      processKib.forEach(kib -> row.add(Numbers.number(kib)));
      row.add(Figures.count(files));
      return row;
    }
  }
}
