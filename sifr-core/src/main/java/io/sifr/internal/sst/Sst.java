package io.sifr.internal.sst;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.filter.SstFilter;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runtime handle of an SST that a forest holds: its metadata, its open reader, and the pins of
 * those who use it for long. Safe for any thread.
 *
 * <p>The store has one reference from the start; {@link #condemn} drops it. When the last reference
 * is gone the reader is closed. A point read takes no pin: it is short, and protected by an epoch
 * that whoever condemns an SST waits for before he does.
 */
public final class Sst implements SstSlice {
  private static final Logger LOG = LoggerFactory.getLogger(Sst.class);

  private final SstMeta meta;

  /** References: the store's own and the pins. At 0 it is over, and it never rises again. */
  private final AtomicInteger references = new AtomicInteger(1);

  private volatile @Nullable SstReader reader;

  private volatile @Nullable SstFilter filter;

  // written once, before the store's own reference is dropped; read by whoever drops the last one
  private volatile @Nullable Runnable whenFree;

  /** A handle that is not open yet. */
  public Sst(SstMeta meta) {
    this.meta = meta;
  }

  public SstMeta meta() {
    return meta;
  }

  /** An SST is the slice of itself that holds everything. */
  @Override
  public Sst sst() {
    return this;
  }

  @Override
  public byte[] smallestKey() {
    return meta.smallestKey();
  }

  @Override
  public byte[] largestKey() {
    return meta.largestKey();
  }

  @Override
  public long bytes() {
    return meta.fileBytes();
  }

  @Override
  public long entries() {
    return meta.entries();
  }

  @Override
  public EntryIterator clip(EntryIterator whole) {
    return whole;
  }

  /** Number in the file's name. */
  public long number() {
    return meta.number();
  }

  /**
   * The open reader.
   *
   * @throws IllegalStateException when the SST was not opened
   */
  public SstReader reader() {
    SstReader open = reader;
    if (open == null) {
      throw new IllegalStateException("SST " + number() + " is not open");
    }
    return open;
  }

  /**
   * Opens the file. Called once, before anybody else knows the handle.
   *
   * @throws IllegalStateException when it is open already
   * @throws io.sifr.error.CorruptionException as {@link SstReader#open}
   */
  public void open(StoreFileSystem fs, Path directory) {
    if (reader != null) {
      throw new IllegalStateException("SST " + number() + " is open already");
    }
    reader = SstReader.open(fs, directory, meta);
  }

  /** The SST's filter, when it has one. */
  public @Nullable SstFilter filter() {
    return filter;
  }

  /** Gives the SST its filter, at any time while it is open. */
  public void attach(SstFilter filter) {
    this.filter = filter;
  }

  /**
   * False when the SST does not hold the key of that {@link io.sifr.internal.filter.KeyHash} for
   * sure; true without a filter.
   */
  public boolean mayHold(long hash) {
    SstFilter asked = filter;
    return asked == null || asked.mayHold(hash);
  }

  /** Told that the SST did not hold a key although {@link #mayHold} was true. */
  public void missed() {
    SstFilter asked = filter;
    if (asked != null) {
      asked.missed();
    }
  }

  /**
   * Keeps the SST open until {@link #unpin}, if it is not too late.
   *
   * @return false when the last reference is gone: load the view again
   */
  public boolean tryPin() {
    int seen = references.get();
    while (seen > 0) {
      int now = references.compareAndExchange(seen, seen + 1);
      if (now == seen) {
        return true;
      }
      seen = now;
    }
    return false;
  }

  /**
   * Gives a pin back. The last one closes the reader, on this thread.
   *
   * @throws IllegalStateException when there is none
   */
  public void unpin() {
    int seen = references.get();
    // In this order: while the store's reference counts, nobody has set whenFree.
    if (seen <= (whenFree == null ? 1 : 0)) {
      throw new IllegalStateException("SST " + number() + " has no pin to give back");
    }
    release();
  }

  /**
   * Drops the store's own reference: no view that can still be loaded holds this SST.
   *
   * @param whenFree run once, when the last reference is gone and the reader closed, on the thread
   *     that dropped it; so it has to be quick and must not throw
   * @throws IllegalStateException when it was condemned before
   */
  public void condemn(Runnable whenFree) {
    synchronized (this) {
      if (this.whenFree != null) {
        throw new IllegalStateException("SST " + number() + " was condemned twice");
      }
      this.whenFree = whenFree;
    }
    release();
  }

  private void release() {
    if (references.decrementAndGet() > 0) {
      return;
    }
    SstReader open = reader;
    reader = null;
    if (open != null) {
      close(open);
    }
    Runnable then = whenFree;
    if (then != null) {
      then.run();
    }
  }

  /**
   * A file that was only read has nothing to lose. Whoever drops the last reference, a reader
   * perhaps, could do nothing about it, and has other SSTs to let go of.
   */
  private void close(SstReader open) {
    try {
      open.close();
    } catch (SifrException e) {
      LOG.warn("SST {} is needed no more but cannot be closed: {}", number(), e.getMessage());
    }
  }
}
