package io.sifr.inspect.salvage;

import io.sifr.error.CorruptionException;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.TestDumps;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All versions of all keys that lie in the files of a sound store, and where they lie. */
final class PhysicalEntries {
  /** Where the unique id stands in a header. */
  private static final int ID_AT = 16;

  private static final int ID_END = 24;

  /** Bytes of a header, which an SST's first block shares its page with. */
  private static final int HEADER_BYTES = 32;

  /**
   * A version of a key.
   *
   * @param file the file it lies in
   * @param offset of the block or record that it is lost with
   * @param end of that
   * @param database id of its database
   * @param value null for a deletion
   * @param range for a range delete the key after its last one, or null; it begins with the key
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Version(
      String file,
      long offset,
      long end,
      int database,
      long sequence,
      byte[] key,
      byte @Nullable [] value,
      @Nullable Range range) {
    boolean hides(Version other) {
      return range != null
          && sequence > other.sequence
          && Arrays.compareUnsigned(other.key, key) >= 0
          && (range.to == null || Arrays.compareUnsigned(other.key, range.to) < 0);
    }

    boolean isInLog() {
      return FileKind.WAL.numberOf(file).isPresent();
    }
  }

  /** The end of a range; null for none. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Range(byte @Nullable [] to) {}

  private PhysicalEntries() {}

  /** Reads all SSTs, log segments and value files of a directory. */
  static List<Version> of(Path directory) throws IOException {
    List<Version> versions = new ArrayList<>();
    for (Path sst : Directories.files(directory, FileKind.SST)) {
      addSst(sst, versions);
    }
    for (Path segment : Directories.files(directory, FileKind.WAL)) {
      addSegment(segment, versions);
    }
    for (Path values : Directories.files(directory, FileKind.VALUES)) {
      addValues(values, versions);
    }
    return versions;
  }

  /** What has only the file: an entry that refers to a value is one of its SST besides. */
  private static void addValues(Path file, List<Version> versions) {
    long number = FileKind.VALUES.numberOf(String.valueOf(file.getFileName())).orElseThrow();
    Path directory = Objects.requireNonNull(file.getParent());
    try (ValueFiles values = DrawnStore.offline(DrawnStore.FILES, directory).values()) {
      values
          .file(number)
          .scan(
              record -> {
                byte[] value = new byte[record.valueBytes()];
                values.read(record.reference(number), record.key(), 0, value.length, value, 0);
                versions.add(
                    new Version(
                        String.valueOf(file.getFileName()),
                        record.offset(),
                        record.offset() + record.bytes(),
                        record.databaseId(),
                        record.trailer() >> 4,
                        record.key(),
                        value,
                        null));
              });
    }
  }

  private static void addSst(Path file, List<Version> versions) {
    List<DumpedRecord> pieces = TestDumps.dump(file);
    int database = 0;
    for (DumpedRecord piece : pieces) {
      database = piece.kind().equals("properties") ? (int) number(piece, "database") : database;
    }
    DumpedRecord block = pieces.get(0);
    for (DumpedRecord piece : pieces) {
      if (piece.depth() == 0) {
        block = piece;
      } else {
        // The header is known from elsewhere when it is damaged.
        long from = Math.max(HEADER_BYTES, block.offset());
        long end = block.offset() + block.length();
        versions.add(version(file, from, end, database, piece));
      }
    }
  }

  private static void addSegment(Path file, List<Version> versions) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    long at = 0;
    long end = 0;
    List<DumpedRecord> pieces = TestDumps.dump(file);
    for (DumpedRecord piece : pieces) {
      if (piece.kind().equals("record")) {
        at = piece.offset();
        end = at + RecordFrame.HEADER_BYTES + bytes.getInt((int) at);
      } else if (piece.depth() > 0) {
        versions.add(version(file, at, end, (int) number(piece, "database"), piece));
      }
    }
  }

  private static Version version(Path file, long from, long end, int database, DumpedRecord entry) {
    boolean isRange = entry.kind().startsWith("range ");
    String sequences = (String) entry.fields().get("sequences");
    return new Version(
        String.valueOf(file.getFileName()),
        from,
        end,
        database,
        sequences == null
            ? number(entry, "sequence")
            : Long.parseLong(sequences.replaceAll("\\D+", " ").trim().split(" ", -1)[0]),
        (byte[]) Objects.requireNonNull(entry.fields().get(isRange ? "from" : "key")),
        value(file, entry),
        isRange ? new Range((byte[]) entry.fields().get("to")) : null);
  }

  private static byte @Nullable [] value(Path file, DumpedRecord entry) {
    byte[] stored = (byte[]) entry.fields().get("value");
    Reference reference = null;
    if (entry.fields().containsKey("valueFile")) {
      reference =
          new Reference(
              Long.MAX_VALUE,
              number(entry, "valueFile"),
              number(entry, "offset"),
              (int) number(entry, "valueBytes"),
              (int) number(entry, "storedBytes"));
    } else if (stored != null && entry.kind().equals("separated put")) { // in the log
      reference = Reference.decode(ByteBuffer.wrap(stored));
    }
    if (reference == null) {
      return stored;
    }
    Path directory = Objects.requireNonNull(file.getParent());
    try (ValueFiles values = DrawnStore.offline(DrawnStore.FILES, directory).values()) {
      byte[] value = new byte[reference.valueBytes()];
      byte[] key = (byte[]) Objects.requireNonNull(entry.fields().get("key"));
      values.read(reference, key, 0, value.length, value, 0);
      return value;
    } catch (CorruptionException e) {
      return stored; // the file is gone, as what is in the log was flushed and overwritten
    }
  }

  private static long number(DumpedRecord piece, String field) {
    return (long) Objects.requireNonNull(piece.fields().get(field));
  }

  /**
   * Whether a version is still whole.
   *
   * @param sound the file as it was
   * @param damaged the file as it is; null when it is missing
   */
  static boolean isWhole(Version version, byte[] sound, byte @Nullable [] damaged) {
    if (damaged == null) {
      return false;
    }
    if (version.range() != null && !version.isInLog()) {
      // A property, which the footer leads to.
      long footer = sound.length - 60L;
      return damaged.length == sound.length
          && isSame(sound, damaged, version.offset(), version.end())
          && isSame(sound, damaged, footer, sound.length);
    }
    // Nothing but its own header tells the unique id of a log segment.
    return isSame(sound, damaged, version.offset(), version.end())
        && (!version.isInLog() || isSame(sound, damaged, ID_AT, ID_END));
  }

  private static boolean isSame(byte[] sound, byte[] damaged, long from, long to) {
    if (damaged.length < to) {
      return false;
    }
    for (int i = (int) from; i < to; i++) {
      if (sound[i] != damaged[i]) {
        return false;
      }
    }
    return true;
  }
}
