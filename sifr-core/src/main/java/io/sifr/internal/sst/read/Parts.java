package io.sifr.internal.sst.read;

import io.sifr.internal.sst.format.IndexPart;
import org.jspecify.annotations.Nullable;

/** Gives the parts of an SST's index, by number. */
interface Parts {
  /**
   * A part, read if necessary.
   *
   * @throws io.sifr.error.CorruptionException when it is damaged
   */
  IndexPart part(int number);

  /** A part, if it is in memory. */
  @Nullable IndexPart inMemory(int number);
}
