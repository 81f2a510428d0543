package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.Durability;
import io.sifr.config.Isolation;
import io.sifr.config.StoreOptions;
import org.jspecify.annotations.Nullable;

/** Options of a transaction: its isolation and commit. Immutable. */
public final class TransactionOptions {
  /** {@link Isolation#SNAPSHOT}, the store's durability, 32 attempts. */
  public static final TransactionOptions DEFAULT = builder().build();

  /** {@link Isolation#SERIALIZABLE}, the store's durability, 32 attempts. */
  public static final TransactionOptions SERIALIZABLE =
      builder().isolation(Isolation.SERIALIZABLE).build();

  private final Isolation isolation;
  private final @Nullable Durability durability;
  private final int attempts;

  private TransactionOptions(Builder builder) {
    isolation = builder.isolation;
    durability = builder.durability;
    attempts = builder.attempts;
  }

  /** A builder that begins with {@link #DEFAULT}. */
  public static Builder builder() {
    return new Builder();
  }

  /** What it may see of others. */
  public Isolation isolation() {
    return isolation;
  }

  /** What {@link Transaction#commit()} survives, or null for {@link StoreOptions#durability}. */
  public @Nullable Durability durability() {
    return durability;
  }

  /** How often {@link Store#inTransaction} begins at most. */
  public int attempts() {
    return attempts;
  }

  @Override
  public String toString() {
    return "isolation="
        + isolation
        + " durability="
        + (durability == null ? "the store's" : durability)
        + " attempts="
        + attempts;
  }

  /** Collects options; every setter checks its argument. Not thread-safe. */
  public static final class Builder {
    private Isolation isolation = Isolation.SNAPSHOT;
    private @Nullable Durability durability;
    private int attempts = 32;

    private Builder() {}

    /** Sets what it may see of others; default {@link Isolation#SNAPSHOT}. */
    @CanIgnoreReturnValue
    public Builder isolation(Isolation value) {
      isolation = Arguments.notNull("isolation", value);
      return this;
    }

    /** Sets what a commit survives; default {@link StoreOptions#durability}. */
    @CanIgnoreReturnValue
    public Builder durability(Durability value) {
      durability = Arguments.notNull("durability", value);
      return this;
    }

    /** Sets how often {@link Store#inTransaction} begins at most; 1 or more, default 32. */
    @CanIgnoreReturnValue
    public Builder attempts(int value) {
      if (value < 1) {
        throw new IllegalArgumentException("attempts is " + value + "; allowed: 1 or more");
      }
      attempts = value;
      return this;
    }

    /** The options collected so far. */
    public TransactionOptions build() {
      return new TransactionOptions(this);
    }
  }
}
