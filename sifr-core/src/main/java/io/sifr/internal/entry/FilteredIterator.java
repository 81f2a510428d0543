package io.sifr.internal.entry;

import io.sifr.internal.entry.EntryIterator.KeyCopy;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.KeyText;
import io.sifr.spi.CompactionFilter;
import io.sifr.spi.CompactionFilter.Decision;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a compaction as a {@link CompactionFilter} wants them: an entry that it drops
 * becomes a tombstone, which is written like any other as long as something older may be hidden by
 * it. The filter is asked about the newest version of each key alone, and only if no snapshot sees
 * that. Owns its source and closes it. Not thread-safe.
 */
public final class FilteredIterator extends DelegatingIterator {
  private static final Logger LOG = LoggerFactory.getLogger(FilteredIterator.class);

  private final ForwardIterator source;
  private final Filter filter;
  private final EntryKinds kinds;
  private final long now;
  private final long newestSnapshot;
  private final SingleEntry changed = new SingleEntry();
  private final KeyCopy key = new KeyCopy();
  private boolean hasKey;
  private boolean isChanged;
  private boolean hasFailed;

  /**
   * The filter of a database.
   *
   * @param database its name
   * @param counts what the filter has decided
   */
  public record Filter(CompactionFilter user, String database, Counts counts) {}

  /** Counts decisions. */
  public record Counts(LongAdder dropped, LongAdder replaced, LongAdder failed) {}

  /**
   * @param source all versions of each key that it has follow one another, the newest first
   * @param kinds which entries there are
   * @param now the time, in milliseconds since the epoch: what is due has expired
   * @param snapshots sequence numbers that must stay readable, ascending
   */
  public FilteredIterator(
      ForwardIterator source, Filter filter, EntryKinds kinds, long now, long[] snapshots) {
    this.source = source;
    this.filter = filter;
    this.kinds = kinds;
    this.now = now;
    this.newestSnapshot = snapshots.length == 0 ? 0 : snapshots[snapshots.length - 1];
  }

  @Override
  public boolean seekToFirst() {
    hasKey = false;
    return at(source.seekToFirst());
  }

  @Override
  public boolean next() {
    return at(source.next());
  }

  private boolean at(boolean valid) {
    isChanged = false;
    if (valid && isOfNewKey() && isAskedAbout()) {
      decide();
    }
    return valid;
  }

  private boolean isOfNewKey() {
    boolean isSame =
        hasKey && key.equalTo(source.keyArray(), source.keyOffset(), source.keyLength());
    if (!isSame) {
      key.set(source.keyArray(), source.keyOffset(), source.keyLength());
      hasKey = true;
    }
    return !isSame;
  }

  private boolean isAskedAbout() {
    long trailer = ExpiringKind.trailerAt(source, now);
    return Trailer.sequence(trailer) > newestSnapshot
        && switch (Trailer.kind(trailer)) {
          case EntryKind.CODE_OF_PUT, ExpiringKind.CODE, SeparatedKind.CODE -> true;
          default -> false;
        };
  }

  private void decide() {
    Candidate candidate = new Candidate();
    try {
      Decision decision = filter.user().decide(candidate);
      byte[] replacement = decision.replacement();
      if (replacement != null) {
        replaceBy(candidate.itsKey, replacement);
        filter.counts().replaced().increment();
      } else if (decision == Decision.DROP) {
        become(EntryKind.DELETE, candidate.itsKey, Bytes.EMPTY);
        filter.counts().dropped().increment();
      }
    } catch (RuntimeException | Error e) {
      failed(candidate.itsKey, e);
    }
  }

  private void replaceBy(byte[] itsKey, byte[] value) {
    if (value.length > EntryLimits.MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "a value of " + value.length + " bytes; allowed: up to " + EntryLimits.MAX_VALUE_BYTES);
    }
    long due = ExpiringKind.dueOf(source);
    if (due == ExpiringKind.NEVER) {
      become(EntryKind.PUT, itsKey, value);
    } else {
      become(kinds.expiring(), itsKey, ExpiringKind.expiringAt(due, value));
    }
  }

  private void become(EntryKind kind, byte[] itsKey, byte[] value) {
    changed.set(Trailer.of(Trailer.sequence(source.trailer()), kind), itsKey, value);
    isChanged = true;
  }

  /** The entry stays as it is; the first time that is told. */
  private void failed(byte[] itsKey, Throwable e) {
    filter.counts().failed().increment();
    if (!hasFailed) {
      hasFailed = true;
      LOG.warn(
          "the compaction filter \"{}\" of database \"{}\" has failed, for key {}, which is kept",
          filter.user().name(),
          filter.database(),
          KeyText.of(itsKey),
          e);
    }
  }

  /** The entry as the filter sees it. */
  private final class Candidate implements CompactionFilter.Entry {
    final byte[] itsKey = Arrays.copyOf(key.array(), key.length());
    private byte @Nullable [] value;

    @Override
    public byte[] key() {
      return itsKey.clone();
    }

    @Override
    public int valueLength() {
      return switch (Trailer.kind(source.trailer())) {
        case ExpiringKind.CODE -> source.valueLength() - ExpiringKind.DUE_BYTES;
        case SeparatedKind.CODE -> SeparatedKind.referenceOf(source).valueBytes();
        default -> source.valueLength();
      };
    }

    @Override
    public byte[] value() {
      byte[] read = value;
      if (read == null) {
        read = readValue();
        value = read;
      }
      return read;
    }

    private byte[] readValue() {
      if (SeparatedKind.is(source.trailer())) {
        return kinds.separated().read(itsKey, SeparatedKind.referenceOf(source));
      }
      ByteBuffer stored = source.value();
      int from = ExpiringKind.hasDue(source.trailer()) ? ExpiringKind.DUE_BYTES : 0;
      byte[] copy = new byte[stored.limit() - from];
      stored.position(from).get(copy);
      return copy;
    }
  }

  @Override
  protected ForwardIterator current() {
    return isChanged ? changed : source;
  }

  @Override
  public boolean valid() {
    return source.valid();
  }

  @Override
  public void close() {
    source.close();
  }
}
