package io.sifr.inspect.dump;

import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.spi.EncryptionKeys;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Shows the content of one file of a store, piece by piece in file order. Takes no lock: the file
 * may be a copy, as long as it keeps its name. A file that is being written meanwhile is shown up
 * to some point.
 */
public final class FileDump {
  private FileDump() {}

  /**
   * Shows a file.
   *
   * @param file an SST, a log segment, a manifest or a value file under the name the store gave it
   * @param sink receives the pieces
   * @throws IllegalArgumentException when the name is not that of such a file
   * @throws io.sifr.error.CorruptionException where the file is damaged; the sink has received
   *     everything before
   * @throws io.sifr.error.UnsupportedFormatException when a newer version of Sifr wrote it
   * @throws io.sifr.error.StoreIoException when it cannot be read
   */
  public static void dump(Path file, Consumer<DumpedRecord> sink) {
    dump(file, EncryptionKeys.NONE, sink);
  }

  /**
   * Shows a file that may be encrypted. Of an encrypted log or manifest, the offsets of operations
   * and edits are those that they would have without encryption.
   *
   * @param keys that it may be encrypted with
   * @throws io.sifr.error.EncryptionKeyException when its key is missing, or is another one
   */
  public static void dump(Path file, EncryptionKeys keys, Consumer<DumpedRecord> sink) {
    // A file always has a parent directory, at least the root.
    Path absolute = DiskFileSystem.requireOwn("file", file).toAbsolutePath();
    dump(OfflineStore.onDisk(absolute.resolveSibling(""), keys), absolute, sink);
  }

  static void dump(OfflineStore store, Path file, Consumer<DumpedRecord> sink) {
    String name = String.valueOf(file.getFileName());
    for (FileKind kind : FileKind.values()) {
      Long number = kind.numberOf(name).orElse(null);
      if (number != null) {
        dump(store, kind, number, sink);
        return;
      }
    }
    throw new IllegalArgumentException(
        file
            + " is not a file that can be shown; a name like "
            + FileKind.SST.fileName(7)
            + ", .wal, .manifest, .values or .tail is expected");
  }

  private static void dump(
      OfflineStore store, FileKind kind, long number, Consumer<DumpedRecord> sink) {
    sink.accept(header(store.header(kind, number)));
    switch (kind) {
      case SST -> SstDump.run(store, number, sink);
      case WAL -> new LogDump(sink).run(store, number);
      case MANIFEST -> new ManifestDump(sink).run(store, number);
      case VALUES -> ValuesDump.run(store, number, sink);
      case TAIL -> {} // the rest is a copy of what is in the SST
    }
  }

  private static DumpedRecord header(FileHeader header) {
    return new Piece("header")
        .with("file", header.kind().name().toLowerCase(Locale.ROOT))
        .with("formatVersion", header.version())
        .with("number", header.number())
        .with("uniqueId", Piece.hex(header.uniqueId()))
        .with("key", header.key())
        .at(0, FileHeader.BYTES);
  }
}
