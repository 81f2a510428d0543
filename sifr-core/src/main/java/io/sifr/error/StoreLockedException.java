package io.sifr.error;

import java.nio.file.Path;

/** The directory is already open, in this JVM or in another process. Close that store first. */
public final class StoreLockedException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path directory;
  private final long holderProcessId;

  /**
   * @param directory the store's directory
   * @param holderProcessId process that holds the lock, or -1 when it is not known
   */
  public StoreLockedException(Path directory, long holderProcessId) {
    super(
        directory
            + " is already open "
            + (holderProcessId == ProcessHandle.current().pid()
                ? "in this process"
                : holderProcessId < 0 ? "in another process" : "in process " + holderProcessId)
            + "; a directory can be opened once at a time");
    this.directory = directory;
    this.holderProcessId = holderProcessId;
  }

  /** The store's directory. */
  public Path directory() {
    return directory;
  }

  /** Process that holds the lock, or -1 when it is not known. */
  public long holderProcessId() {
    return holderProcessId;
  }
}
