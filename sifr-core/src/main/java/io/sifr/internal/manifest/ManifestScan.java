package io.sifr.internal.manifest;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads all whole records of a manifest, whatever lies between them. Their edits may depend on
 * others that are lost.
 */
public final class ManifestScan {
  private ManifestScan() {}

  /** Receives what a scan finds, in order. */
  public interface Visitor {
    /** The edits of a whole record, which belong together. */
    void record(List<ForestEdit> group);

    /**
     * Bytes without a whole record, up to the next whole one, or up to the end of the file if the
     * next one cannot be read.
     */
    void gap(long offset, long bytes, String what);
  }

  /**
   * The end of a scan.
   *
   * @param uniqueId unique id of the manifest
   * @param end where its last whole record ends
   * @param isTorn whether anything but zeros follows: a torn record, or a damaged one
   */
  public record Result(long uniqueId, long end, boolean isTorn) {}

  /**
   * Reads a manifest.
   *
   * @param uniqueId its unique id, in case its header is damaged; null when unknown
   * @throws CorruptionException when there is no such file, or nothing in it can be read
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   * @throws StoreIoException when its beginning cannot be read
   */
  public static Result scan(
      StoreFileSystem fileSystem,
      Path directory,
      long number,
      @Nullable Long uniqueId,
      Visitor visitor) {
    try (ManifestReader reader =
        ManifestReader.openDamaged(fileSystem, directory, number, uniqueId)) {
      long end = scan(reader, visitor);
      return new Result(reader.uniqueId(), end, reader.isTorn());
    }
  }

  private static long scan(ManifestReader reader, Visitor visitor) {
    long end = reader.end();
    try {
      while (true) {
        String what = "no whole record";
        try {
          List<ForestEdit> group = reader.next();
          if (group != null) {
            visitor.record(group);
            end = reader.end();
            continue;
          }
        } catch (CorruptionException e) {
          what = e.what();
        }
        if (!reader.skip()) {
          return end;
        }
        visitor.gap(end, reader.end() - end, what);
        end = reader.end();
      }
    } catch (StoreIoException e) {
      visitor.gap(end, reader.size() - end, String.valueOf(e.getMessage()));
      return reader.size();
    }
  }
}
