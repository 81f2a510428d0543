package io.sifr.inspect.check;

import io.sifr.error.CorruptionException;
import io.sifr.error.EncryptionKeyException;
import io.sifr.error.SifrException;
import io.sifr.inspect.Finding;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects faults, in the order in which they are found, each once. */
final class Findings {
  private final Set<Finding> found = new LinkedHashSet<>();

  void add(Path file, long offset, String what) {
    found.add(new Finding(file, offset, what));
  }

  /**
   * Runs a step of the check. An exception because of a damaged or unreadable file becomes a
   * finding.
   *
   * @param file the file it is about, for failures that name none
   * @return whether it was completed
   * @throws EncryptionKeyException when a key is missing or wrong: nothing is known of the file
   *     then
   */
  boolean examine(Path file, Runnable piece) {
    try {
      piece.run();
      return true;
    } catch (CorruptionException e) {
      add(e.file(), e.offset(), e.what());
    } catch (EncryptionKeyException e) {
      throw e;
    } catch (SifrException e) {
      add(file, 0, String.valueOf(e.getMessage()));
    } catch (InternalError e) {
      // The JVM reports a page of a mapped file that cannot be read in this way.
      add(file, 0, "cannot be read: " + e.getMessage());
    }
    return false;
  }

  List<Finding> all() {
    return List.copyOf(found);
  }
}
