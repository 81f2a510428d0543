package io.sifr.internal.wal;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.value.ValueFiles;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for the values to which the records of a log refer. After a power failure some may be
 * missing that were not synced: then the log ends before the record. Not thread-safe.
 */
public final class ReferredValues {
  private static final Logger LOG = LoggerFactory.getLogger(ReferredValues.class);

  private final ValueFiles values;
  private final Needed needed;
  private final Operations.Reader operations = new Operations.Reader();
  private final Set<Long> files = new TreeSet<>();
  private final Set<Long> unsynced = new TreeSet<>();

  /** Says which operations are of interest. */
  @FunctionalInterface
  public interface Needed {
    /** Whether an operation is in no forest yet, and its database was not dropped. */
    boolean isNeeded(int databaseId, long sequence);
  }

  /** Receives references. */
  @FunctionalInterface
  public interface Visitor {
    /** One reference; false ends the visit. */
    boolean visit(Reference reference, byte[] key);
  }

  public ReferredValues(ValueFiles values, Needed needed) {
    this.values = values;
    this.needed = needed;
  }

  /**
   * Whether all values that a record refers to are there, as {@link RecordVisitor#isWhole}. Those
   * of operations that are not needed may be gone.
   */
  public boolean areThere(
      long firstSequence, byte[] array, int offset, int length, BooleanSupplier isDurable) {
    boolean[] areThere = {true};
    try {
      visit(
          firstSequence,
          array,
          offset,
          length,
          (reference, key) -> {
            files.add(reference.file());
            areThere[0] = isDurable.getAsBoolean() || isWhole(reference, key);
            return areThere[0];
          });
    } catch (IllegalArgumentException e) {
      return true; // it is damaged, as whoever visits the record finds out
    }
    return areThere[0];
  }

  /**
   * Visits the references of a record, those that are needed.
   *
   * @throws IllegalArgumentException when its operations are damaged
   */
  public void visit(long firstSequence, byte[] array, int offset, int length, Visitor visitor) {
    operations.reset(array, offset, length);
    boolean goesOn = true;
    for (long sequence = firstSequence; goesOn && operations.next(); sequence++) {
      if (operations.kind() == SeparatedKind.CODE
          && needed.isNeeded(operations.databaseId(), sequence)) {
        int from = operations.keyOffset();
        byte[] key = Arrays.copyOfRange(array, from, from + operations.keyLength());
        goesOn = visitor.visit(operations.reference(), key);
      }
    }
  }

  private boolean isWhole(Reference reference, byte[] key) {
    try {
      values.file(reference.file()).verifyStored(reference, key);
    } catch (CorruptionException e) {
      LOG.info("the log ends before a value that was not synced: {}", e.getMessage());
      return false;
    }
    unsynced.add(reference.file());
    return true;
  }

  /** The files with values that records refer to. */
  public Set<Long> files() {
    return files;
  }

  /** The files with values that were found, but may not be durable. */
  public Set<Long> unsynced() {
    return unsynced;
  }
}
