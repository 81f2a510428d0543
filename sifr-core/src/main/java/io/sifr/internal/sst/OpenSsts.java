package io.sifr.internal.sst;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The SSTs whose readers are open: at most so many, the ones used most. A reader takes a file
 * handle or a mapping, and about a hundredth of the SST's size on the heap for its index.
 *
 * <p>Thread-safe.
 */
final class OpenSsts {
  /** An SST that can be opened and closed again. */
  interface Closeable {
    /** Called when too many are open. Returns what closes the reader; null when there is none. */
    @Nullable Runnable takeReader();
  }

  /** One use in so many is told to the policy, which is a matter of luck and cheap. */
  private static final int TOLD_ONE_IN = 16;

  private final int most;
  private final Consumer<Runnable> retire;
  private final Cache<Closeable, Closeable> open;

  /** Whether some may have to be closed; until then nobody needs to know which are used. */
  private volatile boolean crowded;

  /**
   * @param most how many may be open
   * @param retire runs what it is given when nobody is left who reads without a pin
   */
  OpenSsts(int most, Consumer<Runnable> retire) {
    this.most = most;
    this.retire = retire;
    this.open =
        Caffeine.newBuilder()
            .maximumSize(most)
            .executor(Runnable::run)
            .<Closeable, Closeable>removalListener(
                (sst, same, cause) -> {
                  if (sst != null) {
                    close(sst);
                  }
                })
            .build();
  }

  /** An SST was opened. */
  void opened(Closeable sst) {
    open.put(sst, sst);
    if (!crowded && open.estimatedSize() > most / 2) {
      crowded = true;
    }
  }

  /** An SST is used. */
  void used(Closeable sst) {
    if (crowded && ThreadLocalRandom.current().nextInt(TOLD_ONE_IN) == 0) {
      var unused = open.getIfPresent(sst); // asked for the policy's sake
    }
  }

  /** An SST was closed for good. */
  void closed(Closeable sst) {
    open.invalidate(sst);
  }

  private void close(Closeable sst) {
    Runnable closing = sst.takeReader();
    if (closing != null) {
      retire.accept(closing);
    }
  }
}
