package io.sifr.internal.resources;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The SSTs of any number of stores whose files are open: a bounded number, those used most. An open
 * file takes a mapping, of which a process has only so many, or memory for what reads it.
 *
 * <p>Thread-safe.
 */
public final class SharedOpenFiles {
  /** An SST whose file can be opened and closed again. */
  public interface Closeable {
    /** Called when too many are open, also by threads of other stores. */
    void closeFile();
  }

  /** By default the Linux kernel allows a process 65,530 mappings; others need some, too. */
  private static final int MOST_MAPPED = 30_000;

  /** A random sample of uses, one in this many, is reported to the eviction policy. */
  private static final int TOLD_ONE_IN = 16;

  private final int most;
  private final Cache<Closeable, Closeable> open;

  /** True if some may have to be closed; until then uses need not be recorded. */
  private volatile boolean crowded;

  /**
   * @param most the largest number that may be open
   */
  public SharedOpenFiles(int most) {
    this.most = most;
    this.open =
        Caffeine.newBuilder()
            .maximumSize(most)
            .executor(Runnable::run)
            .<Closeable, Closeable>removalListener(
                (sst, same, cause) -> {
                  if (sst != null) {
                    sst.closeFile();
                  }
                })
            .build();
  }

  /** As many as the options allow. */
  static SharedOpenFiles of(StoreOptions options) {
    // What is read by position is mapped, too, to announce reads; its descriptor is closed where
    // the
    // process has too few.
    boolean maps = options.readMode() != ReadMode.DIRECT;
    return new SharedOpenFiles(
        Math.min(options.maxOpenSsts(), maps ? MOST_MAPPED : Integer.MAX_VALUE));
  }

  /** Records that an SST was opened. */
  public void opened(Closeable sst) {
    open.put(sst, sst);
    if (!crowded && open.estimatedSize() > most / 2) {
      crowded = true;
    }
  }

  /** Records a use of an SST. */
  public void used(Closeable sst) {
    if (crowded && ThreadLocalRandom.current().nextInt(TOLD_ONE_IN) == 0) {
      var unused = open.getIfPresent(sst); // only to record the access
    }
  }

  /** Removes an SST that was closed for good. */
  public void closed(Closeable sst) {
    open.invalidate(sst);
  }
}
