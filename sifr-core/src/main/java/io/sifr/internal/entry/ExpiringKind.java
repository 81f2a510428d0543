package io.sifr.internal.entry;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A put whose value is there until some time. In an entry the value follows the time at which it is
 * due, eight bytes: milliseconds since the epoch, big-endian. From then on it is as good as a
 * tombstone, for every reader, also at a snapshot.
 */
public final class ExpiringKind extends EntryKind {
  /** Stands for the time at which an entry is due that never is. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Bytes before the value. */
  public static final int DUE_BYTES = Long.BYTES;

  public static final int CODE = 4;

  private final InstantSource clock;

  /** The kind in a store with that clock. */
  public ExpiringKind(InstantSource clock) {
    super(CODE, "expiring put");
    this.clock = clock;
  }

  @Override
  public boolean allows(int valueLength) {
    return valueLength >= DUE_BYTES;
  }

  @Override
  public byte @Nullable [] resolve(byte[] key, byte[] value, byte @Nullable [] older) {
    return due(value) <= now() ? null : valueOf(value);
  }

  /** The time now, in milliseconds since the epoch. */
  public long now() {
    return clock.millis();
  }

  /** What is stored for a value that expires after some time from now on, at least 1 ms. */
  public byte[] expiring(byte[] value, Duration after) {
    return expiringAt(due(after), value);
  }

  /** What is stored for a value that is due at some time. */
  public static byte[] expiringAt(long due, byte[] value) {
    return ByteBuffer.allocate(DUE_BYTES + value.length).putLong(due).put(value).array();
  }

  /** When a value is due that expires after some time from now on, at least 1 ms. */
  public long due(Duration after) {
    return Math.max(1, now() + after.toMillis());
  }

  /** When a stored value is due. */
  public static long due(byte[] stored) {
    return ByteBuffer.wrap(stored).getLong();
  }

  public static byte[] valueOf(byte[] stored) {
    return Arrays.copyOfRange(stored, DUE_BYTES, stored.length);
  }

  /**
   * When the entry on which an iterator stands has no value any more: 0 for a tombstone, {@link
   * #NEVER} for an entry that does not expire.
   */
  public static long dueOf(ForwardIterator entry) {
    return switch (Trailer.kind(entry.trailer())) {
      case CODE_OF_DELETE -> 0;
      case CODE, SeparatedKind.CODE -> entry.value().getLong(0);
      default -> NEVER;
    };
  }

  /** Whether an entry with that trailer begins with the time at which it is due. */
  public static boolean hasDue(long trailer) {
    return Trailer.kind(trailer) == CODE || SeparatedKind.is(trailer);
  }

  /** The trailer of the entry on which an iterator stands: that of a tombstone if it is due. */
  public static long trailerAt(ForwardIterator entry, long now) {
    long trailer = entry.trailer();
    return hasDue(trailer) && dueOf(entry) <= now
        ? Trailer.of(Trailer.sequence(trailer), EntryKind.DELETE)
        : trailer;
  }
}
