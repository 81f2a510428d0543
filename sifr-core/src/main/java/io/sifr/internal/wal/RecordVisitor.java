package io.sifr.internal.wal;

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
}
