package io.sifr.bench.micro;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstReader;
import java.io.IOException;
import java.util.Objects;
import java.util.function.IntFunction;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Searching SSTs for keys in random order. The SST of a key is known, and all blocks were checked.
 */
public class SstGetBenchmark extends MicroBenchmark {
  /** One block of 4 KiB; one SST of 2 MiB; 60 of them, 120 MB, more than the caches hold. */
  @Param({"30", "15000", "900000"})
  public int entries;

  private TreeFiles files;
  private LogicalTree tree;
  private Cycle<Query> present;
  private Cycle<Query> absent;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Query(SstReader reader, byte[] key) {}

  /** Writes the SSTs and prepares the queries. */
  @Setup
  public void write() throws IOException {
    Entries all = new Entries(entries, 0);
    files = new TreeFiles();
    tree = files.open(files.write(all, index -> true));
    tree.ssts().forEach(sst -> sst.reader().verify());
    present = queries(all, all::key);
    absent = queries(all, all::absentKey);
  }

  private Cycle<Query> queries(Entries all, IntFunction<byte[]> key) {
    return new Cycle<>(
        all.sample().mapToObj(index -> new Query(readerOf(all.key(index)), key.apply(index))));
  }

  private SstReader readerOf(byte[] key) {
    return Objects.requireNonNull(tree.find(key, 0, key.length)).reader();
  }

  /** Deletes the SSTs. */
  @TearDown
  public void delete() throws IOException {
    TreeFiles.close(tree.ssts());
    files.close();
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
  private static int get(Query query) {
    Lookup lookup = new Lookup();
    SstReader reader = query.reader();
    byte[] key = query.key();
    long block = reader.find(key, 0, key.length, Trailer.MAX_SEQUENCE);
    boolean found = reader.getFrom(block, key, 0, key.length, Trailer.MAX_SEQUENCE, lookup);
    return found ? lookup.length() : -1;
  }
}
