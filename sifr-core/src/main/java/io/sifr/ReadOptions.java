package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.view.Snapshots;
import org.jspecify.annotations.Nullable;

/**
 * Options of a read: the snapshot that it sees, and its search. Immutable: the same options can be
 * used for any number of reads by any thread, of any database of the store; with a snapshot, until
 * that is closed.
 *
 * <pre>{@code
 * byte[] before = database.get(key, ReadOptions.at(snapshot));
 * ReadOptions serial = ReadOptions.builder().searchScheme(SearchScheme.SERIAL).build();
 * }</pre>
 *
 * <p>A read throws {@link IllegalArgumentException} when the snapshot is of another store, {@link
 * IllegalStateException} when it is closed.
 */
public final class ReadOptions {
  /** Reads the present, searched as the store is configured. */
  public static final ReadOptions DEFAULT = builder().build();

  private final @Nullable Snapshot snapshot;
  private final @Nullable SearchScheme searchScheme;

  private ReadOptions(Builder builder) {
    snapshot = builder.snapshot;
    searchScheme = builder.searchScheme;
  }

  /** Reads at the snapshot, searched as the store is configured. */
  public static ReadOptions at(Snapshot snapshot) {
    return builder().snapshot(snapshot).build();
  }

  /** A builder that begins with {@link #DEFAULT}. */
  public static Builder builder() {
    return new Builder();
  }

  /** The snapshot that is read, or null for the present. */
  public @Nullable Snapshot snapshot() {
    return snapshot;
  }

  /** How candidates are searched, or null for {@link StoreOptions#searchScheme()}. */
  public @Nullable SearchScheme searchScheme() {
    return searchScheme;
  }

  /** The sequence number to read at. */
  long sequence(StoreEngine reader) {
    return snapshot == null ? StoreEngine.NOW : snapshot.sequence(reader);
  }

  /** The snapshot that is read, or null for the present. */
  Snapshots.@Nullable Handle moment(StoreEngine reader) {
    return snapshot == null ? null : snapshot.handle(reader);
  }

  @Override
  public String toString() {
    return "snapshot="
        + (snapshot == null ? "none" : snapshot)
        + " searchScheme="
        + (searchScheme == null ? "the store's" : searchScheme);
  }

  /** Collects options; every setter checks its argument. Not thread-safe. */
  public static final class Builder {
    private @Nullable Snapshot snapshot;
    private @Nullable SearchScheme searchScheme;

    private Builder() {}

    /** Sets the snapshot to read; default: the present, the moment at which the read begins. */
    @CanIgnoreReturnValue
    public Builder snapshot(Snapshot value) {
      snapshot = Arguments.notNull("snapshot", value);
      return this;
    }

    /** Sets how candidates are searched; default {@link StoreOptions#searchScheme()}. */
    @CanIgnoreReturnValue
    public Builder searchScheme(SearchScheme value) {
      searchScheme = Arguments.notNull("searchScheme", value);
      return this;
    }

    /** The options collected so far. */
    public ReadOptions build() {
      return new ReadOptions(this);
    }
  }
}
