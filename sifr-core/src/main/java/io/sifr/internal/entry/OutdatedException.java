package io.sifr.internal.entry;

/**
 * Thrown by an iterator at the border between two SSTs of a run that is no longer part of the
 * newest view, and by a read of a value whose file is gone because the value was copied to another
 * one since. The caller seeks again in the newest view, so that a long scan pins a few SSTs and not
 * the forest of an hour ago. Used for control flow within the store only, so it has no stack trace
 * and is never seen outside.
 */
public final class OutdatedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OutdatedException() {
    super("what is read is outdated", null, false, false);
  }
}
