package io.sifr.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BufferCursor;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.forest.LogicalTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Steps of a cursor over ten trees in memory, compared with the limit: the same entries decoded
 * tree after tree, without merging them into one order.
 */
public class CursorStepBenchmark extends MicroBenchmark {
  private static final int TREES = 10;
  private static final int ENTRIES = 100_000;
  private static final int STEPS = 1_000;

  private final ByteBuf buffer = Unpooled.buffer(Entries.KEY_BYTES + Entries.MAX_VALUE_BYTES);

  private ScratchDirectory directory;
  private Store store;
  private BufferCursor<ByteBuf> cursor;
  private TreeFiles files;
  private List<LogicalTree> trees;

  /** Writes the same trees twice, once through a store. */
  @Setup
  public void load() throws IOException {
    directory = new ScratchDirectory();
    files = new TreeFiles();
    trees = new ArrayList<>();
    StoreOptions options =
        StoreOptions.builder()
            .durability(Durability.NONE)
            .compaction(CompactionPolicy.splitForest(TREES + 1))
            .writeBufferBytes(64 << 20)
            .build();
    store = Store.open(directory.path(), options);
    Entries all = new Entries(ENTRIES, 0);
    int[] treeOf = new SplittableRandom(0).ints(ENTRIES, 0, TREES).toArray();
    for (int tree = 0; tree < TREES; tree++) {
      int wanted = tree;
      for (int i = 0; i < ENTRIES; i++) {
        if (treeOf[i] == wanted) {
          store.database().put(all.key(i), all.value(i));
        }
      }
      store.flush();
      trees.add(files.open(files.write(all, index -> treeOf[index] == wanted)));
    }
    store.awaitIdle();
    cursor = store.database().byteBufs().cursor();
  }

  /** Deletes them. */
  @TearDown
  public void delete() throws IOException {
    cursor.close();
    store.close();
    directory.close();
    trees.forEach(tree -> TreeFiles.close(tree.ssts()));
    files.close();
  }

  /** A step forward; after the last entry it starts again at the first. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long next() {
    long bytes = 0;
    for (int i = 0; i < STEPS; i++) {
      stepForward();
      bytes += cursor.valueLength();
    }
    return bytes;
  }

  /** A step forward, with key and value copied into the caller's buffer. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long nextCopied() {
    long bytes = 0;
    for (int i = 0; i < STEPS; i++) {
      stepForward();
      buffer.clear();
      cursor.copyKey(buffer);
      cursor.copyValue(buffer);
      bytes += buffer.readableBytes();
    }
    return bytes;
  }

  private void stepForward() {
    if (!cursor.next()) {
      cursor.first();
    }
  }

  /** A step backward; after the first entry it starts again at the last. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long previous() {
    long bytes = 0;
    for (int i = 0; i < STEPS; i++) {
      if (!cursor.previous()) {
        cursor.last();
      }
      bytes += cursor.valueLength();
    }
    return bytes;
  }

  /** An entry, decoded. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void decoded(Blackhole blackhole) {
    for (LogicalTree tree : trees) {
      try (EntryIterator entries = TreeFiles.iterator(tree)) {
        for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
          blackhole.consume(entries.keyLength());
          blackhole.consume(entries.valueLength());
        }
      }
    }
  }

  /** An entry, decoded going backward. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void decodedBackward(Blackhole blackhole) {
    for (LogicalTree tree : trees) {
      try (EntryIterator entries = TreeFiles.iterator(tree)) {
        for (boolean more = entries.seekToLast(); more; more = entries.previous()) {
          blackhole.consume(entries.keyLength());
          blackhole.consume(entries.valueLength());
        }
      }
    }
  }
}
