package io.sifr.cli;

import io.sifr.cli.terminal.Console;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file name that means standard input or output. */
final class StandardFile {
  static final String NAME = "-";

  private StandardFile() {}

  static boolean is(Path file) {
    return file.toString().equals(NAME);
  }

  /** Opens a file or standard input; closing leaves standard input open. */
  static InputStream openInput(Console console, Path file) throws IOException {
    if (!is(file)) {
      // The message of the failed read would not name the file.
      if (Files.isDirectory(file)) {
        throw new CommandFailure(ExitCodes.UNUSABLE, file + " is a directory");
      }
      return Files.newInputStream(file);
    }
    return new FilterInputStream(console.in()) {
      @Override
      public void close() {}
    };
  }
}
