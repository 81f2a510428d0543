package io.sifr.internal.engine;

import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.WriteOrder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A batch over two databases is written while both are read at one sequence number (I6). */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "before the batch")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "after the batch")
@Outcome(expect = Expect.FORBIDDEN, desc = "part of the batch")
@State
public class BatchRace {
  private static final byte[] KEY = {1};
  private static final int OPERATIONS = 32;

  private final DatabaseHandle first = RaceStore.database(1);
  private final DatabaseHandle second = RaceStore.database(2);
  private final WriteOrder order = new WriteOrder(0);
  private final WritePath writes = RaceStore.writes(order);

  private final BatchBuffer batch = batch();

  /** Both databases hold version 1. */
  public BatchRace() {
    writes.write(batch, WriteOptions.UNLOGGED);
  }

  private BatchBuffer batch() {
    BatchBuffer operations = new BatchBuffer();
    for (int i = 0; i < OPERATIONS; i++) {
      operations.put(i == OPERATIONS - 1 ? second : first, KEY, KEY);
    }
    return operations;
  }

  private int read(DatabaseHandle database, long sequence) {
    Lookup found = new Lookup();
    if (!database.view().get().active().memtable().get(KEY, 0, 1, sequence, found)) {
      return 0;
    }
    return Trailer.sequence(found.trailer()) <= OPERATIONS ? 1 : 2;
  }

  /** A writer. */
  @Actor
  public void writer() {
    writes.write(batch, WriteOptions.UNLOGGED);
  }

  /** A snapshot, at which both databases are read. */
  @Actor
  public void reader(II_Result result) {
    long sequence = order.visible();
    result.r1 = read(first, sequence);
    result.r2 = read(second, sequence);
  }
}
