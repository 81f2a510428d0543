package io.sifr.web;

/** A request that is not answered by what it asks for: its status, and what its sender is told. */
final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final int BAD_REQUEST = 400;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;
  static final int METHOD_NOT_ALLOWED = 405;
  static final int INTERNAL = 500;
  static final int UNAVAILABLE = 503;

  private final int status;

  RefusedException(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  int status() {
    return status;
  }
}
