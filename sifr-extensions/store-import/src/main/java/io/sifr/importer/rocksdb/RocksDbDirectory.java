package io.sifr.importer.rocksdb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.log.LogReader;
import io.sifr.leveldb.importer.source.MaskedChecksum;
import io.sifr.leveldb.importer.source.SourceFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The properties of a RocksDB directory that its files alone show. */
final class RocksDbDirectory {
  private static final String CURRENT = "CURRENT";

  /** The mark in RocksDB's OPTIONS of a database that TtlDB has written. */
  private static final Pattern OF_TTL =
      Pattern.compile("(compaction_filter|compaction_filter_factory|merge_operator)=(\\{id=)?Ttl");

  /** The mark there of a merge operator that puts a delimiter between values. */
  private static final Pattern APPENDING = Pattern.compile("merge_operator=(.*StringAppend.*)");

  /**
   * As RocksDB reads it back: it loses empty ones, takes blanks off, undoes no escapes, and ends an
   * option at some signs. Old versions write no delimiter, whatever it is.
   */
  private static final Pattern WITH_DELIMITER =
      Pattern.compile("\\{id=\\w+;delimiter=[!-~&&[^#;{}\\\\]]+;}");

  // A log begins with a block, in which records are whole. A record: checksum, length, type, and in
  // a file that was used before the log's number.
  private static final int BLOCK_BYTES = 32 << 10;
  private static final int LENGTH_AT = 4;
  private static final int TYPE_AT = 6;
  private static final int HEADER_BYTES = 7;
  private static final int USED_HEADER_BYTES = 11;

  /** Types of records in a file that was used before. */
  private static final Set<Integer> OF_USED = Set.of(5, 6, 7, 8, 11, 131);

  /** Types of records about the log: how it is compressed, what was before it, sizes of times. */
  private static final Set<Integer> OF_LOG = Set.of(9, 10, 130);

  private RocksDbDirectory() {}

  /** Refuses what is no directory of RocksDB, before RocksDB's library sees it. */
  static void require(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new SourceException("there is no such directory");
    }
    List<String> names = names(directory);
    if (!names.contains(CURRENT)) {
      throw new SourceException("it is no RocksDB directory: it has no file CURRENT");
    } else if (names.stream().noneMatch(name -> name.startsWith("OPTIONS-"))) {
      throw new SourceException(
          "it has no file OPTIONS-…, which RocksDB writes whenever it opens a directory; without, it"
              + " is not known where its log is. sifr-import-leveldb imports LevelDB directories");
    }
  }

  /**
   * Checks the records of the MANIFEST, if there is one. RocksDB takes one with the type of a file
   * that was used before, and one that reaches beyond the end, for the end, before it looks at the
   * checksum: one bit would hide column families and files.
   */
  static void requireManifest(Path directory) throws IOException {
    Path manifest = directory.resolve(read(directory.resolve(CURRENT)).strip());
    if (Files.isRegularFile(manifest)) {
      try (SourceFile file = SourceFile.open(manifest)) {
        LogReader records = new LogReader(file);
        while (records.next() != null) {
          // Each is checked as it is read.
        }
      }
    }
  }

  /** Refuses values with a time after them, which only TtlDB takes off. */
  static void requireNoTtl(Path options) throws IOException {
    if (OF_TTL.matcher(read(options)).find()) {
      throw new SourceException(
          "it was written with a time to live (TtlDB), for which RocksDB has four bytes more in each"
              + " value; copy it into a plain RocksDB first");
    }
  }

  /** Whether RocksDB, when it loads options, has the delimiters that they were made with. */
  static boolean hasDelimiters(Path options) throws IOException {
    return APPENDING
        .matcher(read(options))
        .results()
        .allMatch(found -> WITH_DELIMITER.matcher(found.group(1)).matches());
  }

  /** Names and delimiters in it may be any bytes. */
  private static String read(Path options) throws IOException {
    return Files.readString(options, ISO_8859_1);
  }

  /**
   * Where its log is.
   *
   * @param noted where its options say that it is; empty if they do not. Older versions always note
   *     where it was; of a directory that was moved or copied, that is the place of another
   */
  static Path logs(Path directory, String noted) throws IOException {
    if (noted.isEmpty()) {
      return directory;
    }
    Path logs = Path.of(noted);
    boolean hasLogs = hasLogs(directory);
    if (!Files.isDirectory(logs)) {
      if (!hasLogs) {
        throw new SourceException("its log is in " + logs + ", which is not there");
      }
      return directory;
    } else if (Files.isSameFile(logs, directory) || Files.exists(logs.resolve(CURRENT))) {
      return directory;
    } else if (hasLogs && hasLogs(logs)) {
      throw new SourceException(
          "logs are in it and in "
              + logs
              + ", where its options say that they are; import a copy without those that are not its"
              + " own, or with all in one place");
    }
    return hasLogs ? directory : logs;
  }

  /** Whether logs of writes are in it. */
  static boolean hasLogs(Path directory) throws IOException {
    return names(directory).stream().anyMatch(RocksDbDirectory::isLog);
  }

  private static boolean isLog(String name) {
    return name.matches("[0-9]+\\.log");
  }

  /**
   * Checks the first record of each log, and the first of its writes, whose type says that the file
   * was used before. RocksDB takes such a record with another log's number for the end, before it
   * looks at the checksum: one bit of the type would hide a whole log.
   */
  static void requireFirstRecords(Path directory) throws IOException {
    for (String name : names(directory)) {
      if (isLog(name)) {
        requireFirstRecordsOf(directory.resolve(name));
      }
    }
  }

  private static void requireFirstRecordsOf(Path log) throws IOException {
    ByteBuffer block;
    try (InputStream in = Files.newInputStream(log)) {
      block = ByteBuffer.wrap(in.readNBytes(BLOCK_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
    }
    int at = 0;
    while (at + HEADER_BYTES <= block.limit()) {
      int type = block.get(at + TYPE_AT) & 0xff;
      int length = block.getShort(at + LENGTH_AT) & 0xffff;
      if (OF_USED.contains(type)) {
        int end = at + USED_HEADER_BYTES + length;
        if (end > block.limit()
            || block.getInt(at)
                != MaskedChecksum.of(block.array(), at + TYPE_AT, end - at - TYPE_AT)) {
          throw SourceException.damaged(log, at, "the checksum of its first record is wrong");
        }
      }
      if (!OF_LOG.contains(type)) {
        return;
      }
      at += HEADER_BYTES + length;
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
