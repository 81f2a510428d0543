package io.sifr.internal.sst;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The SSTs whose files are open: a bounded number, those used most. An open file takes a file
 * handle or a mapping, and nothing else.
 *
 * <p>Thread-safe.
 */
public final class OpenSsts {
  /** An SST whose file can be opened and closed again. */
  interface Closeable {
    /** Called when too many are open. Returns what closes the file; null when it is not open. */
    @Nullable Runnable takeFile();
  }

  /** By default the Linux kernel allows a process 65,530 mappings; others need some, too. */
  public static final int MOST_MAPPED = 30_000;

  /** A random sample of uses, one in this many, is reported to the eviction policy. */
  private static final int TOLD_ONE_IN = 16;

  private final int most;
  private final Consumer<Runnable> retire;
  private final Cache<Closeable, Closeable> open;

  /** Whether some may have to be closed; until then uses need not be recorded. */
  private volatile boolean crowded;

  /**
   * @param most the largest number that may be open
   * @param retire runs a task once every reader without a pin has left
   */
  public OpenSsts(int most, Consumer<Runnable> retire) {
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

  /** Records that an SST was opened. */
  void opened(Closeable sst) {
    open.put(sst, sst);
    if (!crowded && open.estimatedSize() > most / 2) {
      crowded = true;
    }
  }

  /** Records a use of an SST. */
  void used(Closeable sst) {
    if (crowded && ThreadLocalRandom.current().nextInt(TOLD_ONE_IN) == 0) {
      var unused = open.getIfPresent(sst); // only to record the access
    }
  }

  /** Removes an SST that was closed for good. */
  void closed(Closeable sst) {
    open.invalidate(sst);
  }

  /** Runs a task once every reader without a pin has left. */
  void retire(Runnable closing) {
    retire.accept(closing);
  }

  private void close(Closeable sst) {
    Runnable closing = sst.takeFile();
    if (closing != null) {
      retire.accept(closing);
    }
  }
}
