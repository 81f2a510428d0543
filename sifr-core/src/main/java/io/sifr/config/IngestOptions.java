package io.sifr.config;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

/** Options of an ingest. Immutable. */
public final class IngestOptions {
  /** Files are linked, and verified wholly. */
  public static final IngestOptions DEFAULT = builder().build();

  private final IngestFiles files;
  private final boolean verify;

  private IngestOptions(Builder builder) {
    files = builder.files;
    verify = builder.verify;
  }

  /** A builder that begins with {@link #DEFAULT}. */
  public static Builder builder() {
    return new Builder();
  }

  /** What becomes of the files. */
  public IngestFiles files() {
    return files;
  }

  /** Whether each file is read wholly before it is added. */
  public boolean verify() {
    return verify;
  }

  @Override
  public String toString() {
    return "files=" + files + " verify=" + verify;
  }

  /** Collects options; every setter checks its argument. Not thread-safe. */
  public static final class Builder {
    private IngestFiles files = IngestFiles.LINK;
    private boolean verify = true;

    private Builder() {}

    /** Sets what becomes of the files; default {@link IngestFiles#LINK}. */
    @CanIgnoreReturnValue
    public Builder files(IngestFiles value) {
      if (value == null) {
        throw new IllegalArgumentException("files is null");
      }
      files = value;
      return this;
    }

    /**
     * Sets whether each file is read wholly, and every byte of it checked, before it is added;
     * default true. Without it only the end of each file is checked; damage of an entry is then
     * found by the read that needs it, and the store knows less of the keys when it decides what to
     * compact for the sake of space.
     */
    @CanIgnoreReturnValue
    public Builder verify(boolean value) {
      verify = value;
      return this;
    }

    /** The options collected so far. */
    public IngestOptions build() {
      return new IngestOptions(this);
    }
  }
}
