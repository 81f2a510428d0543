package io.sifr.internal.resources;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.OpenFiles;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The SSTs of any number of stores whose files are open: a bounded number, those used most. An open
 * file takes a file handle or a mapping, of which a process has only so many.
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

  /** Whether some may have to be closed; until then uses need not be recorded. */
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

  /** As many as the options and the system allow. */
  static SharedOpenFiles of(StoreOptions options) {
    // A mapped file needs no descriptor, but the system allows only so many mappings.
    ReadMode mode = options.readMode();
    boolean maps = mode == ReadMode.MMAP || mode == ReadMode.AUTO;
    int wanted = Math.min(options.maxOpenSsts(), maps ? MOST_MAPPED : Integer.MAX_VALUE);
    return new SharedOpenFiles(mode == ReadMode.MMAP ? wanted : OpenFiles.atMost(wanted));
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
