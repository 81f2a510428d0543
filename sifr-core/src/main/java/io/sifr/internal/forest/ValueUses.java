package io.sifr.internal.forest;

import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The values in value files to which some SSTs refer. How much of a file is still needed is the sum
 * over the SSTs that are there now: so nothing is counted when entries are dropped, and nothing can
 * be counted twice. Immutable.
 */
public final class ValueUses {
  private static final ValueUses NONE = new ValueUses(Map.of());

  private final Map<Long, File> files;
  private final long referredBytes;

  private ValueUses(Map<Long, File> files) {
    this.files = files;
    this.referredBytes = files.values().stream().mapToLong(File::referredBytes).sum();
  }

  /**
   * A value file.
   *
   * @param number its number
   * @param referredBytes bytes of its values that the SSTs refer to
   * @param by one of these SSTs
   */
  public record File(long number, long referredBytes, Sst by) {
    /** Bytes of its values that no SST refers to. */
    public long unreferredBytes() {
      return Math.max(0, by.valueFileBytes(number) - referredBytes);
    }

    /** See {@link Sst#valueFileKey}. */
    public int key() {
      return by.valueFileKey(number);
    }

    private File with(File other) {
      return new File(number, referredBytes + other.referredBytes, by);
    }
  }

  /** The files, in no order. */
  public Collection<File> files() {
    return files.values();
  }

  /** Bytes of the values that the SSTs refer to. */
  public long referredBytes() {
    return referredBytes;
  }

  /** Bytes of the values in these files that no SST refers to. */
  public long unreferredBytes() {
    return files.values().stream().mapToLong(File::unreferredBytes).sum();
  }

  /** Adds up. Used by one thread. */
  static final class Sum {
    private final Map<Long, File> files = new HashMap<>();

    void add(Sst sst) {
      for (ValueUse use : sst.meta().values()) {
        add(new File(use.file(), use.bytes(), sst));
      }
    }

    void add(ValueUses uses) {
      uses.files.values().forEach(this::add);
    }

    private void add(File file) {
      files.merge(file.number(), file, File::with);
    }

    ValueUses uses() {
      return files.isEmpty() ? NONE : new ValueUses(files);
    }
  }
}
