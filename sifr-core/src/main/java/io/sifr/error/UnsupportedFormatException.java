package io.sifr.error;

import java.nio.file.Path;

/**
 * A file was written in a format this version does not know; a newer version of Sifr can read it.
 */
public final class UnsupportedFormatException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final String what;

  /**
   * @param file the file that cannot be read
   * @param what which part of the format is unknown, what was found and what is supported
   */
  public UnsupportedFormatException(Path file, String what) {
    super(
        file
            + " cannot be read by this version of Sifr: "
            + what
            + "; if a newer version has written it, use that one, or export the data with it and load"
            + " them here");
    this.file = file;
    this.what = what;
  }

  /** The file that cannot be read. */
  public Path file() {
    return file;
  }

  /** Which part of the format is unknown: the message without the file. */
  public String what() {
    return what;
  }
}
