package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.sst.read.SstReader;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Blocks none of which is in memory, on a disk that may fail. */
final class OnDisk implements BlockAccess {
  volatile boolean fails;

  @Override
  public boolean isInMemory(SstReader reader, long block) {
    return false;
  }

  @Override
  public boolean search(SstReader reader, long block, Lookup probe, Lookup into) {
    if (fails) {
      throw new UncheckedIOException(new IOException("wanted"));
    }
    return STORE.search(reader, block, probe, into);
  }
}
