package io.sifr.bench.experiment;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.measure.ProcessFigures;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.MapsKind;
import io.sifr.bench.store.NamedMaps;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Many small databases in one store: what each takes of time, memory and files. */
final class ManyDatabases {
  private static final int ENTRIES = 50;
  private static final long SEED = 1;

  /** A store that takes longer to be filled has as many databases as it has got by then. */
  private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(2);

  private ManyDatabases() {}

  static void run(Laboratory laboratory, Findings findings) {
    Map<String, Map<String, Double>> costs = new LinkedHashMap<>();
    for (MapsKind kind : MapsKind.values()) {
      laboratory.tell(kind.label() + ": " + laboratory.scale().databases() + " databases");
      costs.put(
          kind.label(),
          laboratory.inDirectory(
              "many-databases",
              directory -> measure(laboratory.scale().databases(), kind, directory)));
    }
    Grid grid = new Grid("store", List.copyOf(costs.values().iterator().next().keySet()));
    costs.forEach(grid::row);
    findings
        .fact("entriesEach", ENTRIES)
        .add(
            grid.turned()
                .only("load s", "flush s", "close s", "open s", "reads s")
                .bars("Time", Block.Axis.logarithmic("seconds")))
        .table(grid);
  }

  private static Map<String, Double> measure(int databases, MapsKind kind, Path directory) {
    Dataset dataset = new Dataset(Shape.PAPER, ENTRIES, true, SEED);
    Cost cost = new Cost();
    try (NamedMaps store = kind.open(directory)) {
      long start = System.nanoTime();
      while (cost.databases < databases && System.nanoTime() - start < MOST_NANOS) {
        store.create(name(cost.databases));
        for (int i = 0; i < ENTRIES; i++) {
          store.put(cost.databases, dataset.keys().key(i), dataset.values().value(i, 1));
        }
        cost.databases++;
      }
      cost.figures.put("databases", (double) cost.databases);
      cost.took("load s", start);
      cost.takes("loaded");
      start = System.nanoTime();
      store.flush();
      cost.took("flush s", start);
      cost.takes("flushed");
      start = System.nanoTime();
      store.close();
      cost.took("close s", start);
    }
    long start = System.nanoTime();
    try (NamedMaps store = kind.open(directory)) {
      cost.took("open s", start);
      start = System.nanoTime();
      for (int database = 0; database < cost.databases; database++) {
        byte[] value = store.get(database, dataset.keys().key(database % ENTRIES));
        if (value == null || !dataset.values().matches(value, database % ENTRIES, 1)) {
          throw new IllegalStateException(
              "database " + database + " of " + kind.label() + " has a wrong value");
        }
      }
      cost.took("reads s", start);
      cost.takes("opened");
      cost.figures.put("files", (double) DiskSpace.fileSizes(directory).size());
    }
    return cost.figures;
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

  /** The cost of a store. */
  private static final class Cost {
    private int databases;
    private final Map<String, Double> figures = new LinkedHashMap<>();
    private final long heapBefore = heap();
    private final long processBefore = ProcessFigures.privateMemoryBytes().orElse(0);

    private void took(String what, long start) {
      figures.put(what, (System.nanoTime() - start) / 1e9);
    }

    private void takes(String when) {
      long process = ProcessFigures.privateMemoryBytes().orElse(0) - processBefore;
      figures.put("heap KiB each, " + when, (heap() - heapBefore) / 1024.0 / databases);
      figures.put("process KiB each, " + when, process / 1024.0 / databases);
    }
  }
}
