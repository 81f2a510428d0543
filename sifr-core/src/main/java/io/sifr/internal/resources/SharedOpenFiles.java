package io.sifr.internal.resources;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

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

  /** Those that are open while they are few: until some may have to be closed. Guarded by this. */
  private final Set<Closeable> few = new HashSet<>();

  /** Those that are open, in the order in which they are closed; null while they are few. */
  private volatile @Nullable Cache<Closeable, Closeable> many;

  /**
   * @param most the largest number that may be open
   */
  public SharedOpenFiles(int most) {
    this.most = most;
  }

  /** As many as the options allow. */
  static SharedOpenFiles of(StoreOptions options) {
    // What is read by position is mapped, too, to announce reads; its descriptor is closed where
    // the process has too few.
    boolean maps = options.readMode() != ReadMode.DIRECT;
    return new SharedOpenFiles(
        Math.min(options.maxOpenSsts(), maps ? MOST_MAPPED : Integer.MAX_VALUE));
  }

  /** Records that an SST was opened. */
  public void opened(Closeable sst) {
    Cache<Closeable, Closeable> open = many;
    if (open == null) {
      open = withFew(sst);
    }
    if (open != null) {
      open.put(sst, sst);
    }
  }

  /** Adds one to the few; returns where it belongs if they are not few any more. */
  private synchronized @Nullable Cache<Closeable, Closeable> withFew(Closeable sst) {
    if (many == null && few.size() < most / 2) {
      few.add(sst);
    } else if (many == null) {
      Cache<Closeable, Closeable> made = bounded(most);
      few.forEach(each -> made.put(each, each));
      few.clear();
      many = made;
    }
    return many;
  }

  private static Cache<Closeable, Closeable> bounded(int most) {
    return Caffeine.newBuilder()
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

  /** Records a use of an SST. */
  public void used(Closeable sst) {
    Cache<Closeable, Closeable> open = many;
    if (open != null && ThreadLocalRandom.current().nextInt(TOLD_ONE_IN) == 0) {
      var unused = open.getIfPresent(sst); // only to record the access
    }
  }

  /** Removes an SST that was closed for good. */
  public void closed(Closeable sst) {
    Cache<Closeable, Closeable> open = withoutFew(sst);
    if (open != null) {
      open.invalidate(sst); // not under the lock: this may close others
    }
  }

  /** Removes one from the few; returns where it is if they are not few any more. */
  private synchronized @Nullable Cache<Closeable, Closeable> withoutFew(Closeable sst) {
    few.remove(sst);
    return many;
  }
}
