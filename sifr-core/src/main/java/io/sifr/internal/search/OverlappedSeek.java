package io.sifr.internal.search;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MergingIterator.Seeker;
import io.sifr.internal.io.MemoryMapper.MappingFaults;

/**
 * Positions iterators one after another, once what each of them will read was touched. A seek waits
 * for memory again and again, since what it reads next depends on what it has read; but what one
 * iterator reads does not depend on the others, so the processor can load it for all of them at the
 * same time. Thread-safe.
 */
final class OverlappedSeek implements Seeker {
  static final OverlappedSeek SEEKER = new OverlappedSeek();

  private OverlappedSeek() {}

  @Override
  public void seek(EntryIterator[] iterators, EntryIterator.Target to) {
    if (to.kind() == EntryIterator.Target.Kind.AT_KEY
        || to.kind() == EntryIterator.Target.Kind.BEFORE_KEY) {
      touch(iterators, to);
    }
    ONE_BY_ONE.seek(iterators, to);
  }

  private static void touch(EntryIterator[] iterators, EntryIterator.Target to) {
    long sum = 0;
    int ready = 0;
    for (EntryIterator iterator : iterators) {
      long touched = iterator.prepare(to);
      sum += touched;
      ready += touched == 0 ? 0 : 1;
    }
    if (ready > 1) {
      sum += touchFirstLines(iterators, to);
    }
    if (sum == Long.MIN_VALUE) { // or the compiler could leave out all of it
      Thread.onSpinWait();
    }
  }

  private static long touchFirstLines(EntryIterator[] iterators, EntryIterator.Target to) {
    EntryIterator.Lines lines = new EntryIterator.Lines();
    try {
      for (EntryIterator iterator : iterators) {
        iterator.locate(to, lines);
      }
      long sum = lines.touch();
      MappingFaults.raise();
      return sum;
    } catch (InternalError e) {
      return 0; // a page cannot be read: the seek that needs it will say so, and in which file
    }
  }
}
