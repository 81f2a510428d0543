package io.sifr.testing;

import io.sifr.internal.compaction.merge.PartTask;
import io.sifr.internal.sst.read.Sst;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Remembers what a merge task has handed over. */
public final class CollectedProgress implements PartTask.Progress {
  private final List<Sst> written = new ArrayList<>();
  private final List<Long> announced = new ArrayList<>();
  private final List<Sst> moved = new ArrayList<>();
  private final List<byte[]> frontiers = new ArrayList<>();
  private long droppedEntries;
  private long copiedBytes;

  /** SSTs written, in the order in which they were. */
  public List<Sst> written() {
    return written;
  }

  /** Bytes announced for each SST that was begun. */
  public List<Long> announced() {
    return announced;
  }

  /** SSTs moved. */
  public List<Sst> moved() {
    return moved;
  }

  /** All frontiers reached, in the order in which they were. */
  public List<byte[]> frontiers() {
    return frontiers;
  }

  /** Entries that were not written again. */
  public long droppedEntries() {
    return droppedEntries;
  }

  @Override
  public void begins(long bytes) {
    announced.add(bytes);
  }

  @Override
  public void written(Sst sst) {
    written.add(sst);
  }

  /** Bytes of values that were copied. */
  public long copiedBytes() {
    return copiedBytes;
  }

  @Override
  public void wroteValues(long bytes) {
    copiedBytes += bytes;
  }

  @Override
  public void moved(Sst sst) {
    moved.add(sst);
  }

  @Override
  public void stays(Sst sst) {
    moved.add(sst);
  }

  @Override
  public void reached(byte[] frontier, long dropped) {
    if (!frontiers.isEmpty()
        && Arrays.compareUnsigned(frontiers.get(frontiers.size() - 1), frontier) >= 0) {
      throw new AssertionError("the task has not come further");
    }
    frontiers.add(frontier);
    droppedEntries += dropped;
  }
}
