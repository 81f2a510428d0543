package io.sifr.internal.sst.read;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the entries of a run, slice by slice. It pins only the SST it is in, whose file is
 * opened if it is not open; when it enters another one it checks whether its run is outdated.
 */
public final class RunIterator implements EntryIterator {
  private final SstRun run;
  private final int first;
  private final int last;
  private final BooleanSupplier isOutdated;
  private final ReadAhead.Policy policy;
  private final ReadAhead.Helper helper;
  private int index = -1;
  private @Nullable Sst pinned;
  private @Nullable EntryIterator entries;
  private boolean valid;

  /** A target, and the slice in which a seek to it begins, see {@link #find}. */
  private EntryIterator.@Nullable Target sought;

  private int soughtIndex;

  /** That slice, or the first one if it is before that; null if there is none. */
  private @Nullable SstSlice soughtSlice;

  /**
   * An iterator over some slices only; the others are not touched, whatever it seeks.
   *
   * @param run the run
   * @param first index of the first slice
   * @param last index of the last slice
   * @param isOutdated called at a border between SSTs; if true, the move throws {@link
   *     OutdatedException}, after which only {@link #close} may be called. Not called by seeks:
   *     where the newest run changes all the time, a seek would never succeed.
   * @param helper reads ahead for a long scan
   */
  public RunIterator(
      SstRun run, int first, int last, BooleanSupplier isOutdated, ReadAhead.Helper helper) {
    this(run, first, last, isOutdated, ReadAhead.Policy.GROWING, helper);
  }

  private RunIterator(
      SstRun run,
      int first,
      int last,
      BooleanSupplier isOutdated,
      ReadAhead.Policy policy,
      ReadAhead.Helper helper) {
    this.run = run;
    this.first = first;
    this.last = last;
    this.isOutdated = isOutdated;
    this.policy = policy;
    this.helper = helper;
  }

  /** For a full scan of a run that does not change. */
  public static RunIterator overAll(SstRun run) {
    int last = run.slices().size() - 1;
    return new RunIterator(run, 0, last, () -> false, ReadAhead.Policy.FULL, ReadAhead.Helper.NONE);
  }

  /** Moves to the SST with that index. */
  private EntryIterator enter(int target, ReadAhead.Policy how) {
    EntryIterator current = entries;
    if (target == index && current != null) {
      return current;
    }
    close();
    SstSlice slice = run.slices().get(target);
    if (!slice.sst().tryPin()) {
      throw new OutdatedException();
    }
    pinned = slice.sst();
    EntryIterator opened = open(slice, how);
    entries = opened;
    index = target;
    return opened;
  }

  /**
   * An SST that cannot be opened throws when the merge of all runs gets to its first key, and not
   * already when this run does: the others may have entries before that. A full scan needs all of
   * them.
   */
  private EntryIterator open(SstSlice slice, ReadAhead.Policy how) {
    try {
      return slice.iterator(how, helper);
    } catch (SifrException e) {
      if (policy == ReadAhead.Policy.FULL) {
        throw e;
      }
      return new UnusableSlice(slice);
    }
  }

  private EntryIterator current() {
    EntryIterator current = entries;
    if (current == null || !valid) {
      throw new IllegalStateException("the iterator is not positioned on an entry");
    }
    return current;
  }

  private boolean firstFrom(int target, ReadAhead.Policy how) {
    valid = false;
    for (int i = target; i <= last && !valid; i++) {
      valid = enter(i, how).seekToFirst();
    }
    return valid;
  }

  private boolean lastFrom(int target, ReadAhead.Policy how) {
    valid = false;
    for (int i = target; i >= first && !valid; i--) {
      valid = enter(i, how).seekToLast();
    }
    return valid;
  }

  /** The read-ahead policy of a scan that continues from the previous SST. */
  private ReadAhead.Policy continuation() {
    return policy == ReadAhead.Policy.GROWING ? ReadAhead.Policy.GROWN : policy;
  }

  @Override
  public boolean seekToFirst() {
    return firstFrom(first, policy);
  }

  @Override
  public boolean seekToLast() {
    return lastFrom(last, policy);
  }

  @Override
  public boolean seek(EntryIterator.Target to) {
    return switch (to.kind()) {
      case FIRST -> seekToFirst();
      case LAST -> seekToLast();
      case AT_KEY -> seekFrom(find(to), to.key(), to.offset(), to.length(), to.trailer());
      case BEFORE_KEY -> seekBackFrom(find(to), to.key(), to.offset(), to.length());
    };
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long trailer) {
    return seekFrom(run.firstEndingAtOrAfter(key, offset, length), key, offset, length, trailer);
  }

  private boolean seekFrom(int target, byte[] key, int offset, int length, long trailer) {
    if (target < first || target > last) {
      return firstFrom(Math.max(first, target), policy);
    }
    valid = enter(target, policy).seek(key, offset, length, trailer);
    return valid || firstFrom(target + 1, policy);
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length) {
    return seekBackFrom(run.lastBeginningAtOrBefore(key, offset, length), key, offset, length);
  }

  private boolean seekBackFrom(int target, byte[] key, int offset, int length) {
    if (target < first || target > last) {
      return lastFrom(Math.min(last, target), policy);
    }
    valid = enter(target, policy).seekBefore(key, offset, length);
    return valid || lastFrom(target - 1, policy);
  }

  /** Index of the slice in which a seek begins; searched once for each target. */
  private int find(EntryIterator.Target to) {
    if (sought != to) {
      soughtIndex =
          switch (to.kind()) {
            case FIRST -> first;
            case LAST -> last;
            case AT_KEY -> run.firstEndingAtOrAfter(to.key(), to.offset(), to.length());
            case BEFORE_KEY -> run.lastBeginningAtOrBefore(to.key(), to.offset(), to.length());
          };
      boolean isPastAnEnd = soughtIndex < 0 || soughtIndex > last;
      soughtSlice = isPastAnEnd ? null : run.slices().get(Math.max(first, soughtIndex));
      sought = to;
    }
    return soughtIndex;
  }

  @Override
  public boolean isInMemory(EntryIterator.Target to) {
    SstSlice slice = findSlice(to);
    if (slice == null) {
      return true; // it is past its end, and not positioned
    }
    SstReader open = slice.sst().readerIfOpen();
    return open != null && open.isInMemory(to);
  }

  /** An epoch must keep the SST open. */
  @Override
  public boolean announce(EntryIterator.Target to) {
    SstSlice slice = findSlice(to);
    SstReader open = slice == null ? null : slice.sst().readerIfOpen();
    return open != null && open.announce(to);
  }

  private @Nullable SstSlice findSlice(EntryIterator.Target to) {
    var unused = find(to);
    return soughtSlice;
  }

  @Override
  public long prepare(EntryIterator.Target to) {
    SstSlice slice = findSlice(to);
    SstReader open = slice == null || soughtIndex < first ? null : slice.sst().readerIfOpen();
    return open != null && open.isMapped() ? enter(soughtIndex, policy).prepare(to) : 0;
  }

  @Override
  public void locate(EntryIterator.Target to, EntryIterator.Lines into) {
    EntryIterator current = entries;
    if (current != null && index == soughtIndex) {
      current.locate(to, into);
    }
  }

  @Override
  public boolean isReadable() {
    return !(entries instanceof UnusableSlice);
  }

  @Override
  public boolean next() {
    valid = current().next();
    if (valid || index == last) {
      return valid;
    }
    checkNotOutdated();
    return firstFrom(index + 1, continuation());
  }

  @Override
  public boolean previous() {
    valid = current().previous();
    if (valid || index == first) {
      return valid;
    }
    checkNotOutdated();
    return lastFrom(index - 1, continuation());
  }

  @Override
  public boolean nextFrom(long sequence, byte @Nullable [] to) {
    if (!isOlderThan(sequence)) {
      return next();
    }
    if (to != null && Arrays.compareUnsigned(to, run.slices().get(index).largestKey()) <= 0) {
      return seek(to, 0, to.length, Trailer.seek(Trailer.MAX_SEQUENCE));
    }
    valid = false;
    if (index == last) {
      return false;
    }
    checkNotOutdated();
    return firstFrom(index + 1, continuation());
  }

  @Override
  public boolean previousFrom(long sequence, byte[] from) {
    if (!isOlderThan(sequence)) {
      return previous();
    }
    if (Arrays.compareUnsigned(from, run.slices().get(index).smallestKey()) >= 0) {
      return seekBefore(from, 0, from.length);
    }
    valid = false;
    if (index == first) {
      return false;
    }
    checkNotOutdated();
    return lastFrom(index - 1, continuation());
  }

  /** Whether it is in an SST of which all entries have smaller sequence numbers. */
  private boolean isOlderThan(long sequence) {
    Sst sst = pinned;
    if (sst == null || sst.meta().maxSequence() > sequence) {
      return false;
    }
    // The largest one may be that of a range tombstone, and then is not that of an entry.
    RangeTombstones ranges = sst.meta().maxSequence() < sequence ? null : sst.rangeTombstones();
    return sst.meta().maxSequence() < sequence || (ranges != null && ranges.newest() == sequence);
  }

  private void checkNotOutdated() {
    if (isOutdated.getAsBoolean()) {
      throw new OutdatedException();
    }
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public byte[] keyArray() {
    return current().keyArray();
  }

  @Override
  public int keyOffset() {
    return current().keyOffset();
  }

  @Override
  public int keyLength() {
    return current().keyLength();
  }

  @Override
  public long trailer() {
    return current().trailer();
  }

  @Override
  public int valueLength() {
    return current().valueLength();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    current().copyValue(target, offset);
  }

  @Override
  public ByteBuffer value() {
    return current().value();
  }

  @Override
  public void close() {
    index = -1;
    EntryIterator current = entries;
    entries = null;
    Sst sst = pinned;
    pinned = null;
    Failures failures = new Failures();
    if (current != null) {
      failures.collect(current::close);
    }
    if (sst != null) {
      failures.collect(sst::unpin);
    }
    failures.throwFirst();
  }
}
