package io.sifr.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.StoreView;
import io.sifr.testing.Waiting;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Asks a view with every scheme, with blocks now in memory and now not, for one answer. */
final class AllSchemes implements AutoCloseable {
  private final ReadEpochs epochs = new ReadEpochs();
  private final SearchThreads threads = new SearchThreads(4);
  private final Searchers searchers = new Searchers(threads, epochs);
  private final MissingBlocks blocks;
  private final PointSearch search;

  AllSchemes(long seed) {
    blocks = new MissingBlocks(seed);
    search = new PointSearch(searchers, blocks);
  }

  /** As {@link PointSearch#find}; the answer is that of {@code SERIAL}. */
  boolean find(StoreView view, byte[] key, int offset, int length, long sequence, Lookup answer) {
    Lookup into = probe(key, offset, length, sequence);
    int ticket = epochs.enter();
    try {
      boolean found = search.find(SearchScheme.SERIAL, view, into, ticket);
      String expected = text(found, into);
      for (SearchScheme scheme : SearchScheme.values()) {
        makeHandingOverWorthwhile();
        Lookup probe = probe(key, offset, length, sequence);
        boolean foundToo = search.find(scheme, view, probe, ticket);
        assertThat(text(foundToo, probe)).describedAs("%s", scheme).isEqualTo(expected);
      }
      byte[] copy = Arrays.copyOfRange(key, offset, offset + length);
      MultiSearch many = new MultiSearch(search, view, new byte[][] {copy}, sequence, ticket);
      many.find(true);
      assertThat(many.value(0)).isEqualTo(found ? value(into) : null);
      answer.take(into);
      return found;
    } finally {
      epochs.exit(ticket);
    }
  }

  /** Reads are quick here, and searchers may be busy: {@code ADAPTIVE} would read alone. */
  private void makeHandingOverWorthwhile() {
    Load.readsTake(searchers, 10 * AdaptivePolicy.HAND_OFF_NANOS);
    Waiting.until("a searcher is idle", () -> searchers.idle() > 0);
  }

  private static Lookup probe(byte[] key, int offset, int length, long sequence) {
    Lookup probe = new Lookup(key, offset, length);
    probe.lookFor(sequence);
    return probe;
  }

  private static String text(boolean found, Lookup lookup) {
    return found
        ? Trailer.sequence(lookup.trailer()) + " " + Arrays.toString(value(lookup))
        : "nothing";
  }

  private static byte @Nullable [] value(Lookup lookup) {
    if (lookup.isTombstone()) {
      return null;
    }
    byte[] value = new byte[lookup.length()];
    lookup.copyTo(value, 0);
    return value;
  }

  @Override
  public void close() {
    epochs.drain();
    threads.close();
  }
}
