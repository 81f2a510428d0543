package io.sifr.internal.wal;

/** Gets the records of the log, in the order in which they were appended. */
@FunctionalInterface
public interface RecordVisitor {
  /**
   * One record: a write batch.
   *
   * @param firstSequence sequence number of its first operation; the others follow without gaps
   * @param operationCount number of its operations
   * @param operations array that holds the encoded operations; valid until the call returns
   * @param offset where they begin
   * @param length how long they are
   */
  void visit(long firstSequence, int operationCount, byte[] operations, int offset, int length);
}
