package io.sifr.internal.compaction.cut;

import io.sifr.internal.compaction.cut.Stretch.KeySamples;
import io.sifr.internal.util.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides, key by key, where a merge cuts its output into SSTs: between two {@link Stretch}es, and
 * evenly within each. Used by one thread.
 */
public final class OutputCuts {
  /** The last SST of the merge has at least the target bytes divided by this. */
  private static final int SMALLEST_LAST_SHARE = 4;

  /** The last SST of a stretch has at most the target bytes times this, if estimates were wrong. */
  private static final int LARGEST_LAST_SHARE = 2;

  private final List<Stretch> stretches;
  private final SstSizes sizes;
  private final double entriesPerByte;
  private int current;
  private long targetBytes;

  /** SSTs that are still to be cut off in a stretch other than the last. */
  private long left;

  private OutputCuts(
      List<Stretch> stretches, SstSizes sizes, long targetBytes, double entriesPerByte) {
    this.stretches = stretches;
    this.sizes = sizes;
    this.entriesPerByte = entriesPerByte;
    this.targetBytes = targetBytes;
    if (stretches.size() > 1) {
      begin();
    }
  }

  /**
   * Cuts evenly.
   *
   * @param entriesPerByte of the inputs
   */
  public static OutputCuts even(SstSizes sizes, long targetBytes, double entriesPerByte) {
    return new OutputCuts(List.of(new Stretch(null, 0)), sizes, targetBytes, entriesPerByte);
  }

  /**
   * Cuts between stretches, too.
   *
   * @param samples how the data of the inputs are spread
   * @param targetBytes of SSTs if there is only one stretch
   * @param entriesPerByte of the inputs
   */
  public static OutputCuts of(
      KeySamples samples, SstSizes sizes, long targetBytes, double entriesPerByte) {
    return new OutputCuts(Stretch.of(samples, sizes), sizes, targetBytes, entriesPerByte);
  }

  private void begin() {
    long bytes = stretches.get(current).bytes();
    long pieces = sizes.pieces(bytes);
    targetBytes = (bytes + pieces - 1) / pieces;
    left = pieces - 1;
  }

  /**
   * Whether to cut before a key that is larger than those of the calls before.
   *
   * @param bytes what the SST has that is being written; 0 if there is none
   * @param unread entries of the inputs that follow, the key's included
   */
  public boolean isBefore(byte[] key, int offset, int length, long bytes, long unread) {
    boolean crossed = false;
    while (isAcross(stretches.get(current).end(), key, offset, length)) {
      current++;
      crossed = true;
    }
    if (crossed) {
      begin();
      // What is too small for an SST, since most of it was overwritten, becomes part of the next.
      return bytes >= sizes.worthBytes() / 2;
    }
    boolean isFull = bytes > 0 && bytes >= targetBytes && mayCut(bytes, unread);
    left -= isFull ? 1 : 0;
    return isFull;
  }

  private static boolean isAcross(byte @Nullable [] end, byte[] key, int offset, int length) {
    return end != null && Bytes.compare(end, 0, end.length, key, offset, length) <= 0;
  }

  /** Whether enough follows for an SST of its own. */
  private boolean mayCut(long bytes, long unread) {
    return stretches.get(current).end() == null
        ? unread >= (long) (entriesPerByte * targetBytes / SMALLEST_LAST_SHARE)
        : left > 0 || bytes >= LARGEST_LAST_SHARE * targetBytes;
  }
}
