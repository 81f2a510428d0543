package io.sifr.config;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of a write. Those that are not set are as the store or the database says. Immutable: the
 * same options can be used for any number of writes by any thread, of any store.
 *
 * <pre>{@code
 * database.put(key, value, WriteOptions.SYNC);
 * WriteOptions soon = WriteOptions.builder().maxStall(Duration.ofMillis(50)).build();
 * try {
 *   database.put(key, value, soon);
 * } catch (StallTimeoutException e) {
 *   // not written, the store is behind
 * }
 * }</pre>
 */
public final class WriteOptions {
  /** Nothing is set. */
  public static final WriteOptions DEFAULT = builder().build();

  /** Only the durability is set, to {@link Durability#SYNC}. */
  public static final WriteOptions SYNC = builder().durability(Durability.SYNC).build();

  /** Only the durability is set, to {@link Durability#BUFFERED}. */
  public static final WriteOptions BUFFERED = builder().durability(Durability.BUFFERED).build();

  /** Only the durability is set, to {@link Durability#NONE}. */
  public static final WriteOptions UNLOGGED = builder().durability(Durability.NONE).build();

  private static final Duration LONGEST_STALL = Duration.ofDays(365);

  private final @Nullable Durability durability;
  private final @Nullable Duration maxStall;
  private final @Nullable Duration expireAfter;
  private final boolean neverExpires;

  private WriteOptions(Builder from) {
    this.durability = from.durability;
    this.maxStall = from.maxStall;
    this.expireAfter = from.expireAfter;
    this.neverExpires = from.neverExpires;
  }

  /** Options to be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Options to be set, from these on. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.durability = durability;
    builder.maxStall = maxStall;
    builder.expireAfter = expireAfter;
    builder.neverExpires = neverExpires;
    return builder;
  }

  /** The options above that set only that durability. */
  public static WriteOptions of(Durability durability) {
    return switch (notNull("durability", durability)) {
      case NONE -> UNLOGGED;
      case BUFFERED -> BUFFERED;
      case SYNC -> SYNC;
    };
  }

  /** Options that set only the time after which the value expires. */
  public static WriteOptions expiringAfter(Duration time) {
    return builder().expireAfter(time).build();
  }

  /** What the write survives; null: as the store says ({@link StoreOptions#durability}). */
  public @Nullable Durability durability() {
    return durability;
  }

  /** How long the write may be held back; null: as long as it takes. */
  public @Nullable Duration maxStall() {
    return maxStall;
  }

  /** How long the value is there; null: as the database says, unless it {@link #neverExpires}. */
  public @Nullable Duration expireAfter() {
    return expireAfter;
  }

  /** Whether it stays, whatever the database says. */
  public boolean neverExpires() {
    return neverExpires;
  }

  private static <T> T notNull(String name, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is null");
    }
    return value;
  }

  @Override
  public String toString() {
    return "durability="
        + (durability == null ? "the store's" : durability)
        + " maxStall="
        + (maxStall == null ? "none" : maxStall)
        + " expireAfter="
        + (expireAfter != null ? expireAfter : neverExpires ? "never" : "the database's");
  }

  /** Collects options; every setter checks its argument. Not thread-safe. */
  public static final class Builder {
    private @Nullable Durability durability;
    private @Nullable Duration maxStall;
    private @Nullable Duration expireAfter;
    private boolean neverExpires;

    private Builder() {}

    /** Sets what the write survives once the call has returned. */
    @CanIgnoreReturnValue
    public Builder durability(Durability value) {
      durability = notNull("durability", value);
      return this;
    }

    /**
     * Sets how long the write may be held back because flushes or compactions are behind; by
     * default as long as it takes. A write that would have to wait longer throws {@link
     * io.sifr.error.StallTimeoutException}, and nothing of it is written:
     *
     * <ul>
     *   <li>when there is no room in memory, it waits for a flush that long and no longer; nor does
     *       it for the end of an ingest into its database;
     *   <li>where compactions are so far behind that writes are slowed, writes with a limit owe the
     *       delay together: each waits for what it adds, but not beyond its limit, and as long as
     *       what is owed takes longer than the limit the next ones are refused. So they are not
     *       made faster than without a limit;
     *   <li>a range delete that would have to compact first, since the range tombstones of its
     *       database take more than 16 MiB, is refused, since nobody knows how long that takes.
     * </ul>
     *
     * <p>It is no limit for the time that the disk takes: to sync, with {@link Durability#SYNC}, or
     * to create a segment of the log.
     *
     * @param value 0, to wait for nothing, to 365 days
     */
    @CanIgnoreReturnValue
    public Builder maxStall(Duration value) {
      Duration checked = notNull("maxStall", value);
      if (checked.isNegative() || checked.compareTo(LONGEST_STALL) > 0) {
        throw new IllegalArgumentException("maxStall is " + value + "; allowed: 0 to 365 days");
      }
      maxStall = checked;
      return this;
    }

    /**
     * Sets how long the value of a put is there; other writes refuse it. From the moment on at
     * which it is due, by the clock of the store, the key has no value, neither this one nor an
     * older one: for all reads, also at snapshots and by cursors that were opened before.
     *
     * @param time 1 ms to 365000 days; parts of a millisecond do not count
     * @throws IllegalArgumentException when it is shorter or longer
     */
    @CanIgnoreReturnValue
    public Builder expireAfter(Duration time) {
      this.expireAfter = DatabaseOptions.checkedExpiry(time);
      this.neverExpires = false;
      return this;
    }

    /** Sets that the value stays, although values of the database expire. */
    @CanIgnoreReturnValue
    public Builder neverExpire() {
      this.expireAfter = null;
      this.neverExpires = true;
      return this;
    }

    /** The options. */
    public WriteOptions build() {
      return new WriteOptions(this);
    }
  }
}
