package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.sst.read.SstReader;
import java.util.Random;

/** Blocks of which some are said not to be in memory, drawn anew whenever somebody asks. */
final class MissingBlocks implements BlockAccess {
  private final Random random;

  MissingBlocks(long seed) {
    this.random = new Random(seed);
  }

  @Override
  public boolean isInMemory(SstReader reader, long block) {
    return random.nextBoolean();
  }

  @Override
  public boolean search(SstReader reader, long block, Lookup probe, Lookup into) {
    return STORE.search(reader, block, probe, into);
  }
}
