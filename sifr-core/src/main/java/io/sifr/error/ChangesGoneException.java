package io.sifr.error;

/**
 * Changes were requested that the log does not have any more, or never had. Who follows a store has
 * to begin again: with a copy of the store, or a snapshot, and the changes after it.
 */
public final class ChangesGoneException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final long sequence;
  private final long oldestSequence;

  /**
   * @param sequence the sequence number requested
   * @param oldestSequence the first one from which all changes are there
   * @param message what is gone and why
   */
  public ChangesGoneException(long sequence, long oldestSequence, String message) {
    super(message);
    this.sequence = sequence;
    this.oldestSequence = oldestSequence;
  }

  /** The sequence number of the change that was requested. */
  public long sequence() {
    return sequence;
  }

  /** The first sequence number from which on all changes are there now. */
  public long oldestSequence() {
    return oldestSequence;
  }
}
