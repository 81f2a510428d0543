package io.sifr.internal.sst.read;

import static com.google.common.base.Preconditions.checkState;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.KeyPrefix;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.block.SstFile;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.util.KeyText;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runtime handle of an SST in a forest: its metadata, the pins of its long-term users, and its
 * reader, which is opened when it is first used. Whether the reader's file is open at a moment is
 * the concern of {@link SstFile} alone. Safe for any thread.
 *
 * <p>The store holds one reference from the start; {@link #markObsolete} drops it. When the last
 * reference is dropped, the reader is closed. A point read takes no pin: it is short, and protected
 * by a read epoch; an SST is marked only when all epochs in which it may be in use have ended.
 */
public final class Sst implements SstSlice {
  private static final Logger LOG = LoggerFactory.getLogger(Sst.class);

  private final SstMeta meta;

  // Nearly always false. A field, since each search reads it.
  private final boolean hasRangeTombstones;

  /** Reference count: the store's own and the pins. Once it is 0, it never rises again. */
  private final AtomicInteger references = new AtomicInteger(1);

  private volatile @Nullable SstReader reader;

  // That of the reader: most searches need nothing else of an SST.
  private volatile @Nullable SstFilter filter;

  // Both are set before the handle is shared.
  private @Nullable SstAccess access;
  private SstFile.@Nullable Health health;

  // Written once, before the store's own reference is dropped; read by the thread that drops the
  // last one.
  private volatile @Nullable Runnable whenFree;

  /** Creates a handle that is not open yet. */
  public Sst(SstMeta meta) {
    this.meta = meta;
    this.hasRangeTombstones = meta.rangeTombstones() > 0;
  }

  public SstMeta meta() {
    return meta;
  }

  /** An SST is the slice that holds all of its entries. */
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

  /** Whether the SST has range tombstones, which is known without opening it. */
  public boolean hasRangeTombstones() {
    return hasRangeTombstones;
  }

  /** What the range tombstones take in memory, in bytes: nothing before the file was opened. */
  public long rangeTombstoneBytes() {
    SstReader open = reader;
    RangeTombstones ranges = open == null ? null : open.rangeTombstones();
    return ranges == null ? 0 : ranges.bytes();
  }

  /** Whether {@link #rangeTombstones} needs no I/O. */
  public boolean hasRangeTombstonesInMemory() {
    return !hasRangeTombstones || reader != null;
  }

  @Override
  public @Nullable RangeTombstones rangeTombstones() {
    return hasRangeTombstones ? reader().rangeTombstones() : null;
  }

  @Override
  public RangeTombstones clip(RangeTombstones whole) {
    return whole;
  }

  @Override
  public void sample(long stepBytes, ObjLongConsumer<byte[]> into) {
    if (!tryPin()) {
      throw new OutdatedException();
    }
    try {
      reader().sample(meta.smallestKey(), stepBytes, into);
    } finally {
      unpin();
    }
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
   * The reader; opened if necessary.
   *
   * @throws IllegalStateException before {@link #attach}, and when the SST is closed for good
   * @throws io.sifr.error.CorruptionException as {@link SstReader#open}
   */
  public SstReader reader() {
    SstReader open = reader;
    return open == null ? openReader() : open;
  }

  /** As {@link #reader}, but null when the file was not opened yet. */
  public @Nullable SstReader readerIfOpen() {
    return reader;
  }

  private SstReader openReader() {
    SstReader opened;
    synchronized (this) {
      SstReader open = reader;
      if (open != null) {
        return open;
      }
      checkState(references.get() > 0, "SST %s is closed", number());
      opened = openFile();
    }
    opened.opened(); // not under the lock: this may close the files of others
    return opened;
  }

  // Guarded by this.
  private SstReader openFile() {
    try {
      SstReader opened = SstReader.open(access(), meta, health());
      health().opened();
      return keep(opened);
    } catch (SifrException e) {
      SifrException named = naming(e);
      health().failed(named);
      throw named;
    }
  }

  /** Adds which entries cannot be read if the reason is damage. */
  public SifrException naming(SifrException why) {
    return why instanceof CorruptionException damage
        ? damage.retold(
            damage.file(),
            damage.what()
                + "; of its "
                + meta.entries()
                + " entries, with keys from "
                + KeyText.of(meta.smallestKey())
                + " to "
                + KeyText.of(meta.largestKey())
                + ", none can be read")
        : why;
  }

  /**
   * Bytes of all values in a value file that its entries refer to, see {@link
   * io.sifr.internal.value.ValueFiles#recordBytes}.
   */
  public long valueFileBytes(long number) {
    return access().values().recordBytes(number);
  }

  /** Number of the key of a value file, see {@link io.sifr.internal.value.ValueFiles#key}. */
  public int valueFileKey(long number) {
    return access().values().key(number);
  }

  public SstAccess access() {
    checkState(access != null, "SST %s is not open", number());
    return access;
  }

  public SstFile.Health health() {
    return Objects.requireNonNull(health);
  }

  @Override
  public EntryIterator iterator(ReadAhead.Policy policy, ReadAhead.Helper helper) {
    return reader().iterator(policy, helper);
  }

  /**
   * Sets through what the file will be opened. Called once, before the handle is shared.
   *
   * @throws IllegalStateException when it was called before
   */
  public void attach(SstAccess through) {
    checkState(access == null, "SST %s is open already", number());
    access = through;
    meta.values().forEach(use -> through.values().hold(use.file()));
    health = new SstFile.Health(through.faults(), number());
  }

  /**
   * Opens the file of an SST that was just written. Called instead of {@link #attach}.
   *
   * @throws io.sifr.error.CorruptionException as {@link SstReader#open}
   */
  public void open(SstAccess through) {
    attach(through);
    keep(SstReader.open(through, meta, health())).opened();
  }

  private SstReader keep(SstReader opened) {
    filter = opened.filter();
    reader = opened;
    return opened;
  }

  /**
   * As {@link SstReader#mayHold}; true as well when the file cannot be opened, which the search of
   * it will say.
   */
  public boolean mayHold(long hash) {
    SstFilter asked = filterOnceOpen();
    return asked == null || asked.mayHold(hash);
  }

  /** The filter; null if there is none, or the file cannot be opened. */
  private @Nullable SstFilter filterOnceOpen() {
    SstFilter known = filter;
    if (known != null) {
      return known;
    }
    try {
      return reader().filter();
    } catch (SifrException e) {
      return null;
    }
  }

  /**
   * Returns false only when the SST certainly holds no entry whose key has a prefix; range
   * tombstones do not count. The caller is in a read epoch.
   *
   * @param prefix how long that is
   * @param hash of it, see {@link io.sifr.internal.filter.KeyHash#ofPrefix}
   */
  public boolean mayHoldPrefix(KeyPrefix prefix, long hash) {
    SstFilter asked = filterOnceOpen();
    return asked == null || asked.mayHoldPrefix(prefix, hash);
  }

  /** Whether there is a filter that {@link #mayHold} can query without I/O. */
  public boolean knows(long hash) {
    SstFilter asked = filter;
    return asked != null && asked.isInMemory(hash);
  }

  /**
   * Keeps the SST open until {@link #unpin}, unless it is closed already.
   *
   * @return false when the last reference was dropped: load the view again
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
   * Releases a pin. The last release closes the reader, on this thread.
   *
   * @throws IllegalStateException when there is no pin
   */
  public void unpin() {
    int seen = references.get();
    // The count is read first: whenFree is set before the store's own reference is dropped.
    if (seen <= (whenFree == null ? 1 : 0)) {
      throw new IllegalStateException("SST " + number() + " has no pin to release");
    }
    release();
  }

  /**
   * Drops the store's own reference. No view that can still be loaded may hold this SST.
   *
   * @param whenFree run once, when the last reference was dropped and the reader is closed, on the
   *     thread that dropped it; so it must be quick and must not throw
   * @throws IllegalStateException when it was marked before
   */
  public void markObsolete(Runnable whenFree) {
    synchronized (this) {
      checkState(this.whenFree == null, "SST %s was marked obsolete twice", number());
      this.whenFree = whenFree;
    }
    release();
  }

  private void release() {
    if (references.decrementAndGet() > 0) {
      return;
    }
    SstReader open = detachReader();
    if (open != null) {
      close(open);
    }
    if (health != null) {
      health.ended();
    }
    Runnable then = whenFree;
    if (then != null) {
      then.run();
    }
  }

  private synchronized @Nullable SstReader detachReader() {
    SstReader open = reader;
    reader = null;
    return open;
  }

  /**
   * A failure is only logged: the file was only read, so no data is lost, and the thread that
   * dropped the last reference, perhaps a reader, could not handle it and has other SSTs to
   * release.
   */
  private void close(SstReader open) {
    try {
      open.close();
    } catch (SifrException e) {
      LOG.warn("SST {} is no longer needed but cannot be closed: {}", number(), e.getMessage());
    }
  }

  /**
   * Deletes the file of an SST that is closed. A failure is logged and has no other consequence:
   * the file is an orphan, and the next open removes it.
   *
   * @return whether it is gone
   */
  public static boolean delete(StoreFileSystem fileSystem, Path directory, long number) {
    Path file = FileKind.SST.path(directory, number);
    try {
      fileSystem.delete(file);
    } catch (SifrException e) {
      LOG.warn("{} is not needed any more but cannot be deleted; the next open will try", file, e);
      return false;
    }
    return true;
  }

  /**
   * Deletes the file as {@link #delete(StoreFileSystem, Path, long)}, and then the value files that
   * only this has referred to.
   *
   * @return whether it is gone
   */
  @CanIgnoreReturnValue
  public boolean delete(StoreFileSystem fileSystem, Path directory) {
    boolean isGone = delete(fileSystem, directory, number());
    SstAccess through = access;
    if (isGone && through != null) {
      meta.values().forEach(use -> through.values().letGo(use.file()));
    }
    return isGone;
  }

  /** Closes this and deletes its file: it never became part of a forest. */
  public void discard(StoreFileSystem fileSystem, Path directory) {
    markObsolete(() -> delete(fileSystem, directory));
  }
}
