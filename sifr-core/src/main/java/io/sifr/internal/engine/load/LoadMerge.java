package io.sifr.internal.engine.load;

import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.merge.LoadTask;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.compaction.run.Background;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MergingIterator;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.util.Failures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of a bulk load: merges runs and memtables into the SSTs of one tree. The keys are divided
 * among threads, by samples of the runs.
 */
public final class LoadMerge {
  /** The samples of a run. */
  private static final int SAMPLES = 256;

  private final Setup setup;
  private final StoreState state;
  private final Background background;
  private final DatabaseHandle database;

  public LoadMerge(Setup setup, StoreState state, Background background, DatabaseHandle database) {
    this.setup = setup;
    this.state = state;
    this.background = background;
    this.database = database;
  }

  /**
   * The SSTs that result from the merge.
   *
   * @param ssts ascending; closed, and durable except for their names
   */
  record Merged(List<SstMeta> ssts) {
    long entries() {
      return ssts.stream().mapToLong(SstMeta::entries).sum();
    }
  }

  /** A key, and the bytes that follow up to the next sample of the same source. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Sample(byte[] key, long bytes) {}

  /**
   * Merges all, within {@link Background#enter}.
   *
   * @param progress notified now and then of how many more entries were written, by one thread at a
   *     time
   */
  Merged run(
      LoadRuns runs,
      List<Memtable> memtables,
      Executor executor,
      int threads,
      LongConsumer progress) {
    List<Sst> opened = runs.open();
    try {
      return merge(opened, memtables, executor, threads, progress);
    } finally {
      opened.forEach(sst -> sst.markObsolete(() -> {}));
    }
  }

  private Merged merge(
      List<Sst> runs,
      List<Memtable> memtables,
      Executor executor,
      int threads,
      LongConsumer progress) {
    long bytes =
        runs.stream().mapToLong(Sst::bytes).sum()
            + memtables.stream().mapToLong(Memtable::bytesUsed).sum();
    SstSizes sizes = setup.sstSizes(state.catalog().catalog().bytes() + bytes);
    long target = sizes.targetBytes();
    List<byte[]> borders = borders(runs, memtables, (int) Math.min(threads, 1 + bytes / target));
    LongConsumer told =
        entries -> {
          synchronized (borders) {
            progress.accept(entries);
          }
        };
    List<CompletableFuture<List<Sst>>> parts = new ArrayList<>();
    for (int i = 0; i <= borders.size(); i++) {
      byte[] from = i == 0 ? null : borders.get(i - 1);
      byte[] to = i == borders.size() ? null : borders.get(i);
      parts.add(
          CompletableFuture.supplyAsync(
              () ->
                  state.log().withSpace(bytes, () -> part(runs, memtables, from, to, target, told)),
              executor));
    }
    List<Sst> ssts = joined(parts);
    (runs.isEmpty() ? state.counters().flushBytes : state.counters().compactionBytes)
        .add(ssts.stream().mapToLong(Sst::bytes).sum());
    ssts.forEach(sst -> sst.markObsolete(() -> {}));
    return new Merged(ssts.stream().map(Sst::meta).toList());
  }

  private List<Sst> part(
      List<Sst> runs,
      List<Memtable> memtables,
      byte @Nullable [] from,
      byte @Nullable [] to,
      long targetBytes,
      LongConsumer progress) {
    int stage = Math.max(1, database.view().get().forest().stageCount());
    TaskEnvironment environment = background.environment(database, stage);
    List<EntryIterator> sources = new ArrayList<>();
    try {
      runs.forEach(run -> sources.add(run.iterator(ReadAhead.Policy.FULL, ReadAhead.Helper.NONE)));
      memtables.forEach(memtable -> sources.add(memtable.iterator()));
      return LoadTask.ofSsts(environment, targetBytes, progress)
          .run(new MergingIterator(sources, 0), from, to);
    } finally {
      sources.forEach(EntryIterator::close);
    }
  }

  /** Waits for all parts; if one has failed, what the others have written is deleted. */
  private List<Sst> joined(List<CompletableFuture<List<Sst>>> parts) {
    List<Sst> ssts = new ArrayList<>();
    Failures failures = new Failures();
    for (CompletableFuture<List<Sst>> part : parts) {
      try {
        ssts.addAll(part.join());
      } catch (CompletionException e) {
        failures.collect(
            () -> {
              throw Failures.unchecked(e.getCause());
            });
      }
    }
    if (!failures.isEmpty()) {
      ssts.forEach(sst -> sst.discard(setup.fileSystem(), setup.directory()));
      failures.throwFirst();
    }
    return ssts;
  }

  /** Keys that divide all entries into parts of about the same size: at most one fewer. */
  private static List<byte[]> borders(List<Sst> runs, List<Memtable> memtables, int parts) {
    List<Sample> samples = new ArrayList<>();
    if (parts > 1) {
      for (Sst run : runs) {
        run.sample(run.bytes() / SAMPLES, (key, bytes) -> samples.add(new Sample(key, bytes)));
      }
      for (Memtable memtable : memtables) {
        sample(memtable, samples);
      }
    }
    samples.sort(Comparator.comparing(Sample::key, Arrays::compareUnsigned));
    long all = samples.stream().mapToLong(Sample::bytes).sum();
    List<byte[]> borders = new ArrayList<>();
    long passed = 0;
    for (Sample sample : samples) {
      byte[] before = borders.isEmpty() ? null : borders.get(borders.size() - 1);
      boolean isDue = passed * parts >= all * (borders.size() + 1);
      if (isDue && passed > 0 && !Arrays.equals(sample.key(), before)) {
        borders.add(sample.key());
      }
      passed += sample.bytes();
    }
    return borders;
  }

  private static void sample(Memtable memtable, List<Sample> samples) {
    long step = 1 + memtable.entries() / SAMPLES;
    long bytes = memtable.bytesUsed() * step / memtable.entries();
    try (EntryIterator entries = memtable.iterator()) {
      long left = 1;
      for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
        if (--left == 0) {
          left = step;
          int from = entries.keyOffset();
          samples.add(
              new Sample(
                  Arrays.copyOfRange(entries.keyArray(), from, from + entries.keyLength()), bytes));
        }
      }
    }
  }
}
