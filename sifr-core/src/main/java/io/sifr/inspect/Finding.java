package io.sifr.inspect;

import java.nio.file.Path;

/**
 * One fault that a check found.
 *
 * @param file the file it is in
 * @param offset byte offset of the faulty piece; 0 for the file as a whole
 * @param what what is wrong there
 */
public record Finding(Path file, long offset, String what) {
  @Override
  public String toString() {
    return file.getFileName() + " at offset " + offset + ": " + what;
  }
}
