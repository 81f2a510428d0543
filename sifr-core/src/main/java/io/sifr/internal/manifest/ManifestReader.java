package io.sifr.internal.manifest;

import io.sifr.error.CorruptionException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.forest.EditCodec;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.EditWriter;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a manifest record by record, in pieces, so that its size does not matter. Not thread-safe.
 *
 * <p>What follows the last whole record is a torn write if nothing was appended after it: each
 * append is synced before the next begins, and before anything relies on it. Later records are
 * found by the {@link FileHeader#mark} that every record begins with. It identifies the file and
 * the offset, so one comparison per offset finds it; computing the checksum of everything that
 * might be a record would take time quadratic in the length of a torn one.
 */
final class ManifestReader implements AutoCloseable {
  /** Bytes of the mark that a record's payload begins with. */
  static final int MARK_BYTES = Long.BYTES;

  private static final int PIECE_BYTES = 256 << 10;

  private static final ByteBuffer ZEROS = ByteBuffer.allocate(16 << 10).asReadOnlyBuffer();

  private static final long NOWHERE = -1;

  /** Bytes of a record without edits. */
  private static final int EMPTY_RECORD_BYTES = RecordFrame.HEADER_BYTES + MARK_BYTES;

  private final Path path;
  private final RandomReadFile file;
  private final FileHeader header;

  /** Opens the edits of records; null if the manifest is not encrypted. */
  private final @Nullable FileCipher cipher;

  private ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES).limit(0);
  private long pieceAt;
  private long recordAt;
  private long end = FileHeader.BYTES;

  /**
   * Opens a manifest and checks its header.
   *
   * @throws CorruptionException when there is no such file, or it does not begin with its header
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  ManifestReader(StoreFileSystem fileSystem, Path directory, long number) {
    this(
        fileSystem,
        directory,
        number,
        (path, head) -> FileHeader.decode(path, head, FileKind.MANIFEST, number));
  }

  private ManifestReader(
      StoreFileSystem fileSystem, Path directory, long number, HeaderDecoder decoder) {
    path = FileKind.MANIFEST.path(directory, number);
    if (!fileSystem.exists(path)) {
      throw new CorruptionException(path, 0, "the file is missing");
    }
    file = fileSystem.openForRead(path);
    try {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), FileHeader.BYTES));
      file.readFully(bytes, 0);
      header = decoder.decode(path, bytes.flip());
      cipher = header.cipher(path, fileSystem.keys());
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  /** Decodes the header from a file's first bytes. */
  private interface HeaderDecoder {
    FileHeader decode(Path path, ByteBuffer head);
  }

  /**
   * Opens a manifest whose header may be damaged: its records prove by their checksums that the
   * unique id is the right one.
   *
   * @param uniqueId the id in CURRENT; null when unknown
   * @throws CorruptionException when there is no such file, or it is shorter than a header
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   */
  static ManifestReader openDamaged(
      StoreFileSystem fileSystem, Path directory, long number, @Nullable Long uniqueId) {
    return new ManifestReader(
        fileSystem,
        directory,
        number,
        (path, head) -> {
          try {
            return FileHeader.decode(path, head, FileKind.MANIFEST, number);
          } catch (CorruptionException e) {
            if (head.limit() < FileHeader.BYTES) {
              throw e;
            }
            long id = uniqueId == null ? FileHeader.uniqueId(head) : uniqueId;
            return FileHeader.ofDamaged(
                path, head, FileKind.MANIFEST, number, id, fileSystem.keys());
          }
        });
  }

  Path path() {
    return path;
  }

  long uniqueId() {
    return header.uniqueId();
  }

  /** Header of the file. */
  FileHeader header() {
    return header;
  }

  /** Bytes of the file. */
  long size() {
    return file.size();
  }

  /** Offset of the record that {@link #next} returned last. */
  long recordAt() {
    return recordAt;
  }

  /** End of the record that {@link #next} returned last. */
  long end() {
    return end;
  }

  /**
   * The edits of the next record, or null when no whole one follows. A record without edits
   * confirms that the one before it was synced.
   *
   * @throws CorruptionException when the next record is damaged and not the last, or its bytes are
   *     not edits
   */
  @Nullable List<ForestEdit> next() {
    int payloadBytes = payloadBytes(end);
    if (payloadBytes == RecordFrame.NONE && isMarked(end + EMPTY_RECORD_BYTES)) {
      // No record with edits is that short. The page of the record without edits may be lost
      // although the next record, which is synced together with it, is whole.
      end += EMPTY_RECORD_BYTES;
      payloadBytes = payloadBytes(end);
    }
    if (payloadBytes == RecordFrame.NONE) {
      checkNothingFollows();
      return null;
    }
    int payloadAt = load(end, RecordFrame.HEADER_BYTES + payloadBytes) + RecordFrame.HEADER_BYTES;
    if (payloadBytes < MARK_BYTES || piece.getLong(payloadAt) != FileHeader.mark(uniqueId(), end)) {
      throw new CorruptionException(path, end, "the record does not begin with its mark");
    }
    ByteBuffer edits = edits(end, payloadAt + MARK_BYTES, payloadBytes - MARK_BYTES);
    List<ForestEdit> group = edits.hasRemaining() ? EditCodec.decode(path, end, edits) : List.of();
    recordAt = end;
    end = Math.min(size(), end + RecordFrame.bytes(payloadBytes));
    return group;
  }

  /**
   * The edits of a record.
   *
   * @param at where the record is in the file
   * @param from where they begin in the piece
   */
  private ByteBuffer edits(long at, int from, int length) {
    if (cipher == null || length == 0) {
      return piece.slice(from, length);
    }
    byte[] context = FileCipher.at(at);
    return ByteBuffer.wrap(
        cipher.open("record of the manifest", at, context, piece.array(), from, length));
  }

  /**
   * Skips a record that cannot be read, up to the next whole one, if there is any.
   *
   * @return whether there is
   */
  boolean skip() {
    long at = markAfter(end);
    while (at != NOWHERE && payloadBytes(at) == RecordFrame.NONE) {
      at = markAfter(at);
    }
    if (at != NOWHERE) {
      end = at;
    }
    return at != NOWHERE;
  }

  /**
   * Offsets in the file of the edits that {@link #next} returned last; if the manifest is
   * encrypted, as if it were not.
   */
  List<Long> editOffsets() {
    long editsAt = recordAt + RecordFrame.HEADER_BYTES + MARK_BYTES;
    if (editsAt == end) {
      return List.of();
    }
    int length = payloadBytes(recordAt) - MARK_BYTES;
    int begin = load(editsAt, length);
    ByteBuffer edits = edits(recordAt, begin, length);
    return EditCodec.offsets(path, recordAt, edits).stream()
        .map(offset -> editsAt + offset)
        .toList();
  }

  private int payloadBytes(long at) {
    long left = size() - at;
    if (left < RecordFrame.HEADER_BYTES) {
      return RecordFrame.NONE;
    }
    int length = piece.getInt(load(at, RecordFrame.HEADER_BYTES));
    if (length <= 0
        || length > MARK_BYTES + EditWriter.MAX_BYTES + FileCipher.OVERHEAD
        || length > left - RecordFrame.HEADER_BYTES) {
      return RecordFrame.NONE;
    }
    int begin = load(at, RecordFrame.HEADER_BYTES + length);
    return RecordFrame.payloadLength(piece, begin, piece.limit(), uniqueId(), at);
  }

  private void checkNothingFollows() {
    // The usual end, unused room, is detected quickly.
    long following = isTorn() ? markAfter(end) : NOWHERE;
    if (following != NOWHERE) {
      throw new CorruptionException(
          path, end, "the record is damaged, and it is not the last: one follows at " + following);
    }
  }

  /** Whether there is anything but zeros after the last record that {@link #next} returned. */
  boolean isTorn() {
    for (long at = end; at < size(); ) {
      int begin = load(at, 1);
      int zeros = Math.min(piece.limit() - begin, ZEROS.capacity());
      if (!piece.slice(begin, zeros).equals(ZEROS.slice(0, zeros))) {
        return true;
      }
      at += zeros;
    }
    return false;
  }

  /** Offset of the next record after {@code from}, whole or not, or {@link #NOWHERE}. */
  private long markAfter(long from) {
    long at = from + RecordFrame.ALIGNMENT;
    while (at <= size() - EMPTY_RECORD_BYTES) {
      int begin = load(at, EMPTY_RECORD_BYTES);
      while (begin <= piece.limit() - EMPTY_RECORD_BYTES) {
        if (piece.getLong(begin + RecordFrame.HEADER_BYTES) == FileHeader.mark(uniqueId(), at)) {
          return at;
        }
        begin += RecordFrame.ALIGNMENT;
        at += RecordFrame.ALIGNMENT;
      }
    }
    return NOWHERE;
  }

  /** Whether a record begins there, whole or not. */
  private boolean isMarked(long at) {
    return at <= size() - EMPTY_RECORD_BYTES
        && piece.getLong(load(at, EMPTY_RECORD_BYTES) + RecordFrame.HEADER_BYTES)
            == FileHeader.mark(uniqueId(), at);
  }

  /**
   * Loads the bytes into the piece, and returns where they begin in it. It reads ahead: calls go
   * back in the file only after damage.
   */
  private int load(long at, int bytes) {
    if (at < pieceAt || at + bytes > pieceAt + piece.limit()) {
      int wanted = (int) Math.min(size() - at, Math.max(bytes, PIECE_BYTES));
      if (wanted > piece.capacity()) {
        piece = ByteBuffer.allocate(wanted);
      }
      file.readFully(piece.clear().limit(wanted), at);
      pieceAt = at;
    }
    return (int) (at - pieceAt);
  }

  @Override
  public void close() {
    file.close();
  }
}
