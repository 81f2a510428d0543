package io.sifr.inspect.salvage;

import io.sifr.internal.sst.SstMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An SST to salvage entries from.
 *
 * @param number number in its name
 * @param databaseId the database that holds it; 0 when that is not known
 * @param meta what the manifest tells of it; null when it tells nothing
 * @param bounds the keys that are taken from it; all of it, unless a merge was through with some
 * @param isNamed whether the manifest names it, so that it is surely needed
 */
record SourceSst(
    long number, int databaseId, @Nullable SstMeta meta, List<KeyBounds> bounds, boolean isNamed) {

  /** One that only the directory tells of. */
  static SourceSst unnamed(long number) {
    return new SourceSst(number, 0, null, List.of(KeyBounds.ALL), false);
  }

  /** Whether an entry of that key is taken. */
  boolean takes(byte[] array, int offset, int length) {
    for (KeyBounds part : bounds) {
      if (part.contains(array, offset, length)) {
        return true;
      }
    }
    return false;
  }
}
