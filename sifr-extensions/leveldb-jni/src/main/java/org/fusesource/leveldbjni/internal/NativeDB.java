package org.fusesource.leveldbjni.internal;

import java.io.IOException;

/**
 * Of the binding's own classes the one by which programs name an exception. There is nothing native
 * here.
 */
public final class NativeDB {
  private NativeDB() {}

  /**
   * A database could not be opened because there is none, or because it is damaged: the two cases
   * after which programs that catch it make a new one in its place.
   */
  public static class DBException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean notFound;

    /**
     * @param message what is wrong
     * @param notFound whether there is none
     * @param cause what the store has thrown
     */
    public DBException(String message, boolean notFound, Throwable cause) {
      super(message, cause);
      this.notFound = notFound;
    }

    /** Whether there is no database; else it is damaged. */
    public boolean isNotFound() {
      return notFound;
    }
  }
}
