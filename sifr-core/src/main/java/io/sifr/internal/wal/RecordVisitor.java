package io.sifr.internal.wal;

import java.util.function.BooleanSupplier;

/** Receives the records of the log, in the order in which they were appended. */
@FunctionalInterface
public interface RecordVisitor {
  /**
   * One record: a write batch.
   *
   * @param firstSequence sequence number of its first operation; the others follow without gaps
   * @param operationCount number of its operations
   * @param operations array that holds the encoded operations; valid until the call returns
   * @param offset where they begin in the array
   * @param length their length in bytes
   */
  void visit(long firstSequence, int operationCount, byte[] operations, int offset, int length);

  /**
   * Whether what a record refers to outside of the log is there; called before {@link #visit}, with
   * the same array. If it is not, the log ends before the record.
   *
   * @param isDurable whether the log was synced after the record, and what it refers to before
   *     that: then anything that is missing is damage, and not the end of the log. Takes time when
   *     it is asked for the first time
   */
  default boolean isWhole(
      long firstSequence, byte[] operations, int offset, int length, BooleanSupplier isDurable) {
    return true;
  }
}
