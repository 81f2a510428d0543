package io.sifr.internal.manifest;

import io.sifr.error.ForeignDirectoryException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Recognizes directories of LevelDB and RocksDB, which have a CURRENT and a LOCK, too: their
 * CURRENT is the name of a file. The only code that knows other stores.
 */
public final class ForeignDirectory {
  private static final Pattern OF_LEVELDB = Pattern.compile("(?s)MANIFEST-[0-9].*");
  private static final String OF_SIFR = "sifr ";

  /** Enough to know whose it is. */
  private static final int FIRST_BYTES = 16;

  private ForeignDirectory() {}

  /**
   * Refuses a directory of LevelDB or RocksDB. A CURRENT that is missing or cannot be read says
   * nothing.
   */
  public static void refuse(StoreFileSystem fileSystem, Path directory) {
    if (!OF_LEVELDB.matcher(beginOfCurrent(fileSystem, directory)).matches()) {
      return;
    }
    boolean isRocksDb =
        fileSystem.list(directory).stream()
            .anyMatch(name -> name.equals("IDENTITY") || name.startsWith("OPTIONS-"));
    throw new ForeignDirectoryException(
        directory,
        isRocksDb
            ? "it is a RocksDB directory. The program sifr-import-rocksdb makes a store of it"
            : "it is a LevelDB directory. The program sifr-import-leveldb makes a store of it");
  }

  /** Whether the CURRENT of a directory begins as Sifr's do. */
  public static boolean isCurrentOfSifr(StoreFileSystem fileSystem, Path directory) {
    return beginOfCurrent(fileSystem, directory).startsWith(OF_SIFR);
  }

  private static String beginOfCurrent(StoreFileSystem fileSystem, Path directory) {
    Path current = Current.path(directory);
    if (!fileSystem.exists(current)) {
      return "";
    }
    try (RandomReadFile file = fileSystem.openForRead(current)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), FIRST_BYTES));
      file.readFully(bytes, 0);
      return new String(bytes.array(), StandardCharsets.ISO_8859_1);
    } catch (StoreIoException e) {
      return "";
    }
  }
}
