package io.sifr.bench.micro;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.Memtable;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/** A memtable of 4 MiB: filled in random order, searched, and iterated over when it is full. */
public class MemtableBenchmark extends MicroBenchmark {
  private static final int ENTRIES = 21_000;

  private List<PutRecord> puts;
  private Memtable full;
  private Cycle<byte[]> present;
  private Cycle<byte[]> absent;

  /** Fills the memtable. */
  @Setup
  public void fillOne() {
    Entries entries = new Entries(ENTRIES, 0);
    puts = PutRecord.shuffled(entries);
    full = fill();
    present = new Cycle<>(entries.sample().mapToObj(entries::key));
    absent = new Cycle<>(entries.sample().mapToObj(entries::absentKey));
  }

  /** Adding an entry, while the memtable goes from empty to full. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public Memtable fill() {
    Memtable memtable = new Memtable(4 << 20);
    for (int i = 0; i < ENTRIES; i++) {
      puts.get(i).addTo(memtable);
    }
    return memtable;
  }

  /** A present key. */
  @Benchmark
  public int getHit() {
    return get(present.next());
  }

  /** An absent key. */
  @Benchmark
  public int getMiss() {
    return get(absent.next());
  }

  /** Bytes of the value, or -1. As in the engine, each lookup is a new object. */
  private int get(byte[] key) {
    Lookup lookup = new Lookup();
    return full.get(key, 0, key.length, Trailer.MAX_SEQUENCE, lookup) ? lookup.length() : -1;
  }

  /** A step of an iterator, without the value. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void iterate(Blackhole blackhole) {
    try (EntryIterator iterator = full.iterator()) {
      for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
        blackhole.consume(iterator.keyOffset());
        blackhole.consume(iterator.trailer());
      }
    }
  }
}
