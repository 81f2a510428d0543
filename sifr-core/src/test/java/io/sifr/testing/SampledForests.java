package io.sifr.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.LongStream;

/** Trees whose SSTs have samples of their keys, without files. */
public final class SampledForests {
  /** Bytes of an entry. */
  public static final int ENTRY_BYTES = 100;

  private static final int MOST_SAMPLED = 128;

  private SampledForests() {}

  /**
   * A tree.
   *
   * @param keys its keys, at most six digits, each with whether its newest version is a tombstone
   * @param keysPerSst keys of each SST, but of the last one
   */
  public static LogicalTree tree(long id, SortedMap<Integer, Boolean> keys, int keysPerSst) {
    return tree(id, keys, keysPerSst, 0);
  }

  /**
   * The same with values in a value file of the tree, which has its number.
   *
   * @param valueBytes bytes of each value there; 0: none is there
   */
  public static LogicalTree tree(
      long id, SortedMap<Integer, Boolean> keys, int keysPerSst, int valueBytes) {
    List<Integer> ordered = List.copyOf(keys.keySet());
    List<Sst> ssts = new ArrayList<>();
    for (int from = 0; from < ordered.size(); from += keysPerSst) {
      int to = Math.min(ordered.size(), from + keysPerSst);
      long[] hashes =
          ordered.subList(from, to).stream()
              .mapToLong(key -> 2 * hash(key(key)) + (keys.getOrDefault(key, false) ? 1 : 0))
              .sorted()
              .toArray();
      ssts.add(
          sst(
              id * 1000 + ssts.size(),
              key(ordered.get(from)),
              key(ordered.get(to - 1)),
              to - from,
              sketch(hashes),
              valueBytes == 0
                  ? List.of()
                  : List.of(new SstMeta.ValueUse(id, (long) (to - from) * valueBytes))));
    }
    return new LogicalTree(id, ssts);
  }

  private static KeySketch sketch(long[] ascending) {
    int level = 0;
    long[] sample = ascending;
    while (sample.length > MOST_SAMPLED) {
      level++;
      long limit = 2L << (KeySketch.HASH_BITS - level);
      sample = LongStream.of(sample).takeWhile(hash -> hash < limit).toArray();
    }
    return KeySketch.of(level, sample);
  }

  private static Sst sst(
      long number,
      byte[] smallest,
      byte[] largest,
      int entries,
      KeySketch sketch,
      List<SstMeta.ValueUse> values) {
    long bytes = (long) entries * ENTRY_BYTES;
    SstMeta meta =
        SstMetas.of(number, number, bytes, entries, 0, 0, bytes, 0, 1, 1, smallest, largest);
    SstMeta.Keys keys = new SstMeta.Keys(smallest, largest, sketch);
    return new Sst(
        new SstMeta(meta.identity(), keys, meta.counts(), meta.sequences(), meta.times(), values));
  }

  private static byte[] key(int key) {
    return Padded.number(key, 6).getBytes(UTF_8);
  }

  private static long hash(byte[] key) {
    return KeyHash.of(key, 0, key.length) >>> (Long.SIZE - KeySketch.HASH_BITS);
  }
}
