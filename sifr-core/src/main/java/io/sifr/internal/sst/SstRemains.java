package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is left of an SST beside its blocks: whichever of header, footer, index and properties are
 * whole, each read by itself.
 *
 * <p>No block can be checked without the file's unique id. It stands in the header, in the footer
 * and in the manifest, so that it is lost only with all three.
 *
 * @param uniqueId the unique id; null when nothing tells it
 * @param fileBytes size of the file as it should be, as far as that is known
 * @param blocksEnd where the blocks end; the end of the file when the footer does not tell
 * @param isEndKnown whether the footer tells where the blocks end
 * @param properties what the SST tells of itself; null when they are damaged
 * @param faults what is damaged
 */
record SstRemains(
    @Nullable Long uniqueId,
    long fileBytes,
    long blocksEnd,
    boolean isEndKnown,
    @Nullable SstProperties properties,
    List<SstFault> faults) {

  /** Reads them. */
  static SstRemains read(Path path, RandomReadFile file, long number, @Nullable SstMeta expected) {
    return new Reading(path, file, number, expected).read();
  }

  /** What the manifest would keep of the SST; null when its properties are lost. */
  @Nullable SstMeta toMeta(long number) {
    return properties == null || uniqueId == null
        ? null
        : properties.toMeta(number, uniqueId, fileBytes);
  }

  private static final class Reading {
    private final Path path;
    private final RandomReadFile file;
    private final long number;
    private final @Nullable SstMeta expected;
    private final long fileBytes;
    private final List<SstFault> faults = new ArrayList<>();

    Reading(Path path, RandomReadFile file, long number, @Nullable SstMeta expected) {
      this.path = path;
      this.file = file;
      this.number = number;
      this.expected = expected;
      this.fileBytes = expected == null ? file.size() : expected.fileBytes();
      if (fileBytes != file.size()) {
        faults.add(new SstFault(0, "the file has " + file.size() + " bytes, not " + fileBytes));
      }
    }

    SstRemains read() {
      ByteBuffer head = bytes(0, FileHeader.BYTES);
      FileHeader header = header(head);
      Footer footer = null;
      Long id = null;
      for (long candidate : candidates(head, header)) {
        id = candidate;
        footer = footer(FileHeader.of(FileKind.SST, number, candidate));
        if (footer != null) {
          break;
        }
      }
      if (expected != null) {
        id = expected.uniqueId();
      } else if (header != null && footer == null) {
        id = header.uniqueId();
      }
      if (footer == null) {
        faults.add(new SstFault(Math.max(0, fileBytes - Footer.BYTES), "the footer is damaged"));
        return new SstRemains(id, fileBytes, fileBytes, false, null, List.copyOf(faults));
      }
      return new SstRemains(
          id, fileBytes, footer.indexOffset(), true, tail(footer, id), List.copyOf(faults));
    }

    /** Unique ids that may be the right one, the most credible first. */
    private List<Long> candidates(@Nullable ByteBuffer head, @Nullable FileHeader header) {
      if (expected != null) {
        return List.of(expected.uniqueId());
      } else if (header != null) {
        return List.of(header.uniqueId());
      }
      List<Long> candidates = new ArrayList<>();
      ByteBuffer end = bytes(fileBytes - Footer.BYTES, Footer.BYTES);
      if (end != null) {
        candidates.add(Footer.uniqueId(end));
      }
      if (head != null) {
        // Whatever is damaged in the header, it may be something else. A block will tell.
        candidates.add(FileHeader.uniqueId(head));
      }
      return candidates;
    }

    private @Nullable FileHeader header(@Nullable ByteBuffer head) {
      if (head == null) {
        return null;
      }
      try {
        return FileHeader.decode(path, head, FileKind.SST, number);
      } catch (CorruptionException e) {
        faults.add(new SstFault(e.offset(), e.what()));
        return null;
      }
    }

    private @Nullable Footer footer(FileHeader header) {
      ByteBuffer end = bytes(fileBytes - Footer.BYTES, Footer.BYTES);
      try {
        return end == null ? null : Footer.decode(path, end, fileBytes, header);
      } catch (CorruptionException e) {
        return null;
      }
    }

    /** Checks what lies between blocks and footer, and reads the properties. */
    private @Nullable SstProperties tail(Footer footer, @Nullable Long id) {
      int from = footer.indexOffset();
      ByteBuffer tail = bytes(from, (int) (fileBytes - Footer.BYTES) - from);
      if (tail == null || id == null) {
        return null;
      }
      if (!isWhole(tail, id, from, from, footer.indexLength(), footer.indexChecksum())) {
        faults.add(new SstFault(from, "the index is damaged"));
      }
      int at = footer.propertiesOffset();
      int length = footer.propertiesLength();
      for (int i = at - from + length; i < tail.limit(); i++) {
        if (tail.get(i) != 0) {
          faults.add(new SstFault(from + i, "padding is not zero"));
          break;
        }
      }
      if (isWhole(tail, id, from, at, length, footer.propertiesChecksum())) {
        try {
          return SstProperties.decode(path, tail.slice(at - from, length), at);
        } catch (CorruptionException e) {
          faults.add(new SstFault(e.offset(), e.what()));
          return null;
        }
      }
      faults.add(new SstFault(at, "the properties are damaged"));
      return null;
    }

    private static boolean isWhole(
        ByteBuffer tail, long id, int from, int at, int length, int checksum) {
      return checksum == Checksums.bind(Checksums.crc32c(tail, at - from, length), id, at);
    }

    /** Bytes of the file, or null when it is too short. */
    private @Nullable ByteBuffer bytes(long offset, int length) {
      if (offset < 0 || offset + length > file.size()) {
        return null;
      }
      ByteBuffer bytes = ByteBuffer.allocate(length);
      file.readFully(bytes, offset);
      return bytes.flip();
    }
  }
}
