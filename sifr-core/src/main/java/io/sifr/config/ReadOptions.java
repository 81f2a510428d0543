package io.sifr.config;

import org.jspecify.annotations.Nullable;

/**
 * How one read is done, where it differs from the settings of the store. Immutable; safe for any
 * thread.
 *
 * <pre>{@code
 * ReadOptions serial = ReadOptions.builder().searchScheme(SearchScheme.SERIAL).build();
 * }</pre>
 */
public final class ReadOptions {
  /** Everything as the store's settings say. */
  public static final ReadOptions DEFAULT = builder().build();

  private final @Nullable SearchScheme searchScheme;

  private ReadOptions(Builder builder) {
    searchScheme = builder.searchScheme;
  }

  /** A builder that begins with what the store's settings say. */
  public static Builder builder() {
    return new Builder();
  }

  /** How candidates are searched, or null for {@link StoreOptions#searchScheme()}. */
  public @Nullable SearchScheme searchScheme() {
    return searchScheme;
  }

  @Override
  public String toString() {
    return "searchScheme=" + (searchScheme == null ? "the store's" : searchScheme);
  }

  /** Collects settings; every setter checks its argument. Not thread-safe. */
  public static final class Builder {
    private @Nullable SearchScheme searchScheme;

    private Builder() {}

    /** How candidates are searched; default {@link StoreOptions#searchScheme()}. */
    public Builder searchScheme(SearchScheme value) {
      if (value == null) {
        throw new IllegalArgumentException("searchScheme is null");
      }
      searchScheme = value;
      return this;
    }

    /** The settings collected so far. */
    public ReadOptions build() {
      return new ReadOptions(this);
    }
  }
}
