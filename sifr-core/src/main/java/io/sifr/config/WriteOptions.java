package io.sifr.config;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a value is written. What is not set is as the store or the database says. Immutable. */
public final class WriteOptions {
  /** Nothing is set. */
  public static final WriteOptions DEFAULT = builder().build();

  private final @Nullable Durability durability;
  private final @Nullable Duration expireAfter;
  private final boolean neverExpires;

  private WriteOptions(Builder from) {
    this.durability = from.durability;
    this.expireAfter = from.expireAfter;
    this.neverExpires = from.neverExpires;
  }

  /** Options to be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Options that set only the time after which the value expires. */
  public static WriteOptions expiringAfter(Duration time) {
    return builder().expireAfter(time).build();
  }

  /** What the write survives; null: as the store says ({@link StoreOptions#durability}). */
  public @Nullable Durability durability() {
    return durability;
  }

  /** How long the value is there; null: as the database says, unless it {@link #neverExpires}. */
  public @Nullable Duration expireAfter() {
    return expireAfter;
  }

  /** Whether it stays, whatever the database says. */
  public boolean neverExpires() {
    return neverExpires;
  }

  /** Not thread-safe. */
  public static final class Builder {
    private @Nullable Durability durability;
    private @Nullable Duration expireAfter;
    private boolean neverExpires;

    private Builder() {}

    /** Sets what the write survives once the call has returned. */
    @CanIgnoreReturnValue
    public Builder durability(Durability value) {
      this.durability = value;
      return this;
    }

    /**
     * Sets how long the value is there. From the moment on at which it is due, by the clock of the
     * store, the key has no value, neither this one nor an older one: for all reads, also at
     * snapshots and by cursors that were opened before.
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
