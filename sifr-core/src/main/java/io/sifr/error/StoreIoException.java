package io.sifr.error;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The platform refused or failed an operation on a file of the store. The message names the file;
 * the cause is attached.
 */
public class StoreIoException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final String operation;

  /**
   * @param file the file or directory the operation was for
   * @param operation what was tried, as a verb ("read", "sync", "create")
   * @param cause what the platform reported
   */
  public StoreIoException(Path file, String operation, IOException cause) {
    super("cannot " + operation + " " + file + ": " + cause, cause);
    this.file = file;
    this.operation = operation;
  }

  /** For a subclass with a message of its own. */
  StoreIoException(Path file, String operation, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.file = file;
    this.operation = operation;
  }

  /** The file or directory the failed operation was for. */
  public Path file() {
    return file;
  }

  String operation() {
    return operation;
  }

  /**
   * A copy for another call that fails for the same reason. One object must not be thrown to two
   * callers: a try-with-resources whose body and whose close throw the same object fails because of
   * that.
   */
  public StoreIoException again() {
    return new StoreIoException(file, operation, String.valueOf(getMessage()), getCause());
  }
}
