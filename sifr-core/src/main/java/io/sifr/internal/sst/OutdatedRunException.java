package io.sifr.internal.sst;

/**
 * An iterator stands at the border between two SSTs of a run that is not part of the newest view
 * any more. Its user seeks again in the newest view, so that a long scan pins a few SSTs and not
 * the forest of an hour ago. Control flow within the store, so it has no stack trace and is never
 * seen outside.
 */
public final class OutdatedRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OutdatedRunException() {
    super("the run is outdated", null, false, false);
  }
}
