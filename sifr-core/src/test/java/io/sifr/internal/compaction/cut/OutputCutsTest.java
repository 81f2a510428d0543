package io.sifr.internal.compaction.cut;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.cut.Cuts.OutputCuts;
import io.sifr.internal.compaction.cut.Stretch.KeySamples;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutputCutsTest {
  private static final long UNIT = 1 << 20;
  private static final SstSizes SIZES = new SstSizes(UNIT, UNIT, 2 << 20, 0);
  private static final int ENTRY = 1 << 10;
  private static final int SSTS = 4;

  /** An SST that was written: the stream of its first entry and of its last one, and its bytes. */
  private record Written(int first, int last, long bytes) {}

  private static byte[] key(int stream, int position) {
    return String.format("sensor%03d/%012d", stream, position).getBytes(UTF_8);
  }

  /**
   * Merges streams.
   *
   * @param entries of each stream
   * @param kept one entry of so many is written
   */
  private static List<Written> merge(int[] entries, int kept) {
    KeySamples samples = new KeySamples();
    int unread = 0;
    for (int stream = 0; stream < entries.length; stream++) {
      for (int i = 0; i < entries[stream]; i += 16) {
        samples.add(key(stream, i), i * SSTS / entries[stream], 16 * ENTRY);
      }
      unread += entries[stream];
    }
    OutputCuts cuts = OutputCuts.of(samples, SIZES, UNIT, 1.0 / ENTRY);
    List<Written> written = new ArrayList<>();
    int first = 0;
    int last = 0;
    long bytes = 0;
    for (int stream = 0; stream < entries.length; stream++) {
      for (int i = 0; i < entries[stream]; i++) {
        byte[] key = key(stream, i);
        if (cuts.isBefore(key, 0, key.length, bytes, unread--)) {
          written.add(new Written(first, last, bytes));
          bytes = 0;
        }
        if (i % kept == 0) {
          first = bytes == 0 ? stream : first;
          last = stream;
          bytes += ENTRY;
        }
      }
    }
    written.add(new Written(first, last, bytes));
    return written;
  }

  @Test
  void noSstHoldsTwoStreamsThatAreWorthOne() {
    List<Written> written = merge(new int[] {300, 4000, 1500, 700, 1100, 2500}, 1);
    assertThat(written).allMatch(sst -> sst.first() == sst.last());
    assertThat(written).allMatch(sst -> sst.bytes() >= UNIT / 6 && sst.bytes() <= UNIT * 9 / 8);
    assertThat(written).hasSize(1 + 4 + 2 + 1 + 1 + 3);
  }

  @Test
  void whatIsOverwrittenLeavesNoSmallSsts() {
    List<Written> written = merge(new int[] {400, 400, 400, 400, 400, 400, 400, 400}, 8);
    assertThat(written.subList(0, written.size() - 1))
        .isNotEmpty()
        .allMatch(sst -> sst.bytes() >= UNIT / 12);
  }

  @Test
  void oneStreamIsCutEvenly() {
    List<Written> written = merge(new int[] {5000}, 1);
    assertThat(written).hasSize(5);
    assertThat(written.subList(0, 4)).allMatch(sst -> sst.bytes() == UNIT);
  }

  /** The last SST is no sliver. */
  @Test
  void aSmallRestJoinsTheSstBefore() {
    assertThat(merge(new int[] {1024 + 200}, 1)).hasSize(1);
    assertThat(merge(new int[] {1024 + 300}, 1)).hasSize(2);
  }
}
