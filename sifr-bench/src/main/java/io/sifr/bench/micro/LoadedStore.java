package io.sifr.bench.micro;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A store that is idle after random writes: three trees in stage 1 and two in stage 2, all in
 * memory.
 */
@State(Scope.Benchmark)
public class LoadedStore {
  /** With a growth factor of four, two trees of four flushes and three of one. */
  private static final int FLUSHES = 11;

  /** Number of entries. */
  @Param("1000000")
  public int entries;

  private ScratchDirectory directory;
  private Entries all;
  private Store store;

  /** Loads the store. */
  @Setup
  public void load() throws IOException {
    directory = new ScratchDirectory();
    StoreOptions options =
        StoreOptions.builder()
            .durability(Durability.NONE)
            .compaction(CompactionPolicy.splitForest(4))
            .writeBufferBytes(64 << 20)
            .build();
    store = Store.open(directory.path(), options);
    all = new Entries(entries, 0);
    int[] order = all.shuffled();
    for (int flush = 0; flush < FLUSHES; flush++) {
      int to = (int) ((long) entries * (flush + 1) / FLUSHES);
      for (int i = (int) ((long) entries * flush / FLUSHES); i < to; i++) {
        store.database().put(all.key(order[i]), all.value(order[i]));
      }
      store.flush();
    }
    store.awaitIdle();
  }

  /** Deletes the store. */
  @TearDown
  public void delete() throws IOException {
    store.close();
    directory.close();
  }

  Database database() {
    return store.database();
  }

  Cycle<byte[]> presentKeys() {
    return new Cycle<>(all.sample().mapToObj(all::key));
  }

  Cycle<byte[]> absentKeys() {
    return new Cycle<>(all.sample().mapToObj(all::absentKey));
  }
}
