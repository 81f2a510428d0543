package io.sifr.importer.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.source.MaskedChecksum;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What can be told of a RocksDB directory by its files alone. */
final class RocksDbDirectory {
  /** What RocksDB's OPTIONS say of a database that TtlDB has written. */
  private static final String OF_TTL = "TtlCompactionFilterFactory";

  // A record of a log: checksum, length, type; in a file that was used before, the log's number.
  private static final int LENGTH_AT = 4;
  private static final int TYPE_AT = 6;
  private static final int FIRST_USED_TYPE = 5;
  private static final int USED_HEADER_BYTES = 11;
  private static final int MOST_RECORD_BYTES = 0xffff;

  private RocksDbDirectory() {}

  /** Refuses what is no directory of RocksDB, before RocksDB's library sees it. */
  static void require(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new SourceException("there is no such directory");
    }
    List<String> names = names(directory);
    if (!names.contains("CURRENT")) {
      throw new SourceException("it is no RocksDB directory: it has no file CURRENT");
    } else if (names.stream().noneMatch(name -> name.startsWith("OPTIONS-"))) {
      throw new SourceException(
          "it has no file OPTIONS-…, which RocksDB writes whenever it opens a directory; without, it"
              + " is not known where its log is. sifr-import-leveldb imports LevelDB directories");
    }
  }

  /** Refuses values with a time behind them, which only TtlDB takes off. */
  static void requireNoTtl(Path options) throws IOException {
    if (Files.readString(options, UTF_8).contains(OF_TTL)) {
      throw new SourceException(
          "it was written with a time to live (TtlDB), for which RocksDB has four bytes more in each"
              + " value; copy it into a plain RocksDB first");
    }
  }

  /** Whether logs of writes are in it. */
  static boolean hasLogs(Path directory) throws IOException {
    return names(directory).stream().anyMatch(RocksDbDirectory::isLog);
  }

  private static boolean isLog(String name) {
    return name.matches("[0-9]+\\.log");
  }

  /**
   * Checks the first record of each log whose type says that the file was used before. RocksDB
   * takes such a record with another log's number for the end, before it looks at the checksum: one
   * bit of the type would hide a whole log.
   */
  static void requireFirstRecords(Path directory) throws IOException {
    for (String name : names(directory)) {
      if (!isLog(name)) {
        continue;
      }
      Path log = directory.resolve(name);
      byte[] bytes;
      try (InputStream in = Files.newInputStream(log)) {
        bytes = in.readNBytes(USED_HEADER_BYTES + MOST_RECORD_BYTES);
      }
      if (bytes.length > TYPE_AT && bytes[TYPE_AT] >= FIRST_USED_TYPE) {
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int end = USED_HEADER_BYTES + (header.getShort(LENGTH_AT) & 0xffff);
        if (end > bytes.length
            || header.getInt(0) != MaskedChecksum.of(bytes, TYPE_AT, end - TYPE_AT)) {
          throw SourceException.damaged(log, 0, "the checksum of its first record is wrong");
        }
      }
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
