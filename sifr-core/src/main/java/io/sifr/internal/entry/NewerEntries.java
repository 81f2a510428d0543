package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Finds entries with sequence numbers larger than one. */
public final class NewerEntries {
  private NewerEntries() {}

  /**
   * The first key of a range that has such an entry; null when there is none.
   *
   * @param entries of one source; positioned anywhere, and left anywhere
   * @param to the key after the last one of the range; null: there is none
   * @param since larger sequence numbers are looked for
   */
  public static byte @Nullable [] firstKey(
      EntryIterator entries, byte[] from, byte @Nullable [] to, long since) {
    boolean live = entries.seek(from, 0, from.length, Trailer.seek(Trailer.MAX_SEQUENCE));
    while (live && isBefore(entries, to)) {
      if (Trailer.sequence(entries.trailer()) > since) {
        int begin = entries.keyOffset();
        return Arrays.copyOfRange(entries.keyArray(), begin, begin + entries.keyLength());
      }
      live = entries.nextFrom(since + 1, to);
    }
    return null;
  }

  private static boolean isBefore(EntryIterator entries, byte @Nullable [] to) {
    return to == null
        || Bytes.compare(
                entries.keyArray(), entries.keyOffset(), entries.keyLength(), to, 0, to.length)
            < 0;
  }
}
