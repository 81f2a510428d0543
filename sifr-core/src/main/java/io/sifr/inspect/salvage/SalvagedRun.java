package io.sifr.inspect.salvage;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.DelegatingIterator;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.sst.inspect.DamagedSst;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the rescued entries of SSTs that do not overlap, with one of them open at a time.
 * Not thread-safe.
 */
final class SalvagedRun extends DelegatingIterator {
  private final List<SalvagedSst> ssts;
  private final SalvageMeter meter;
  private int next;
  private @Nullable SalvagedSst current;
  private @Nullable DamagedSst entries;

  /**
   * @param ssts ascending
   */
  private SalvagedRun(List<SalvagedSst> ssts, SalvageMeter meter) {
    this.ssts = ssts;
    this.meter = meter;
  }

  /**
   * The smallest number of runs for some SSTs: as many as overlap at any one key. It does not
   * matter which tree an SST belonged to, since versions are ordered by their sequence numbers.
   */
  static List<SalvagedRun> over(List<SalvagedSst> ssts, SalvageMeter meter) {
    List<SalvagedSst> ascending = new ArrayList<>(ssts);
    ascending.sort(Comparator.comparing(SalvagedSst::firstKey, Arrays::compareUnsigned));
    List<List<SalvagedSst>> runs = new ArrayList<>();
    for (SalvagedSst sst : ascending) {
      List<SalvagedSst> fitting = null;
      for (List<SalvagedSst> run : runs) {
        byte[] last = run.get(run.size() - 1).lastKey();
        if (Arrays.compareUnsigned(last, sst.firstKey()) < 0) {
          fitting = run;
          break;
        }
      }
      if (fitting == null) {
        fitting = new ArrayList<>();
        runs.add(fitting);
      }
      fitting.add(sst);
    }
    return runs.stream().map(run -> new SalvagedRun(run, meter)).toList();
  }

  @Override
  public boolean seekToFirst() {
    close();
    next = 0;
    return nextSst();
  }

  @Override
  public boolean next() {
    return toTaken(current().next()) || nextSst();
  }

  private boolean nextSst() {
    while (next < ssts.size()) {
      finish();
      SalvagedSst opening = ssts.get(next++);
      DamagedSst opened = opening.open();
      current = opening;
      entries = opened;
      if (toTaken(opened.seekToFirst())) {
        return true;
      }
    }
    finish();
    return false;
  }

  /** Moves on to the next entry that is needed. */
  private boolean toTaken(boolean isValid) {
    SalvagedSst sst = current;
    DamagedSst at = entries;
    if (sst == null || at == null) {
      return false;
    }
    boolean more = isValid;
    while (more && !sst.source().takes(at.keyArray(), 0, at.keyLength())) {
      more = at.next();
    }
    return more;
  }

  /** Closes an SST that was read, and checks that it gave as many entries as before. */
  private void finish() {
    SalvagedSst sst = current;
    DamagedSst at = entries;
    if (sst == null || at == null) {
      return;
    }
    long found = at.entries();
    close();
    meter.add(sst.fileBytes());
    if (found != sst.found()) {
      throw new CorruptionException(
          sst.store().path(FileKind.SST, sst.source().number()),
          0,
          found + " entries can be read now; there were " + sst.found() + " before");
    }
  }

  @Override
  protected DamagedSst current() {
    DamagedSst at = entries;
    if (at == null) {
      throw new IllegalStateException("the iterator is not positioned on an entry");
    }
    return at;
  }

  @Override
  public boolean valid() {
    return entries != null && entries.valid();
  }

  @Override
  public void close() {
    DamagedSst at = entries;
    current = null;
    entries = null;
    if (at != null) {
      at.close();
    }
  }
}
