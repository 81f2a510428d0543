package io.sifr.internal.sst.inspect;

import io.sifr.error.CorruptionException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.FilterPage;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.IndexTop;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstProperties;
import io.sifr.internal.sst.format.StoredBlock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The remains of an SST outside its blocks: those of header, footer, filter, index and properties
 * that are intact, each read on its own.
 *
 * <p>No block can be checked without the file's unique id. It is stored in the header, in the
 * footer and in the manifest, so that it is lost only with all three.
 *
 * @param encoder has completed the blocks, with the unique id, and perhaps a cipher; null when the
 *     unique id is lost
 * @param baseSequence base that the manifest adds to the sequence numbers in the file; 0 when it is
 *     not known
 * @param fileBytes size the file should have, as far as that is known
 * @param blocksEnd where the blocks end; the end of the file when the footer is damaged
 * @param isEndKnown whether the footer is intact, and with it the end of the blocks
 * @param properties the properties; null when they are damaged
 * @param faults the faults found
 */
record SstRemains(
    StoredBlock.@Nullable Encoder encoder,
    long baseSequence,
    long fileBytes,
    long blocksEnd,
    boolean isEndKnown,
    @Nullable SstProperties properties,
    List<CorruptionException> faults) {

  /** Reads what is left of a file. */
  static SstRemains read(
      SstAccess access, RandomReadFile file, long number, @Nullable SstMeta expected) {
    return new Reading(access, file, number, expected).read();
  }

  /** The SST's metadata for a manifest; null when its properties are lost. */
  @Nullable SstMeta toMeta(long number) {
    return properties == null || encoder == null
        ? null
        : properties.toMeta(identity(encoder, number), baseSequence);
  }

  private SstMeta.Identity identity(StoredBlock.Encoder known, long number) {
    FileCipher cipher = known.cipher();
    int key = cipher == null ? 0 : cipher.number();
    return new SstMeta.Identity(number, known.uniqueId(), fileBytes, key);
  }

  private static final class Reading {
    private final SstAccess access;
    private final Path path;
    private final RandomReadFile file;
    private final long number;
    private final @Nullable SstMeta expected;
    private final long fileBytes;
    private final List<CorruptionException> faults = new ArrayList<>();

    Reading(SstAccess access, RandomReadFile file, long number, @Nullable SstMeta expected) {
      this.access = access;
      this.path = access.path(number);
      this.file = file;
      this.number = number;
      this.expected = expected;
      this.fileBytes = expected == null ? file.size() : expected.fileBytes();
      if (fileBytes != file.size()) {
        faults.add(
            new CorruptionException(
                path, 0, "the file has " + file.size() + " bytes, not " + fileBytes));
      }
    }

    SstRemains read() {
      ByteBuffer head = bytes(0, FileHeader.BYTES);
      FileHeader header = header(head);
      Footer footer = footer();
      Long id = uniqueId(head, header, footer);
      long base = expected == null ? 0 : expected.baseSequence();
      if (footer == null || id == null || footer.uniqueId() != id) {
        faults.add(
            new CorruptionException(
                path, Math.max(0, fileBytes - Footer.BYTES), "the footer is damaged"));
        StoredBlock.Encoder encoder =
            id == null ? null : new StoredBlock.Encoder(id, cipher(head, header, id));
        return new SstRemains(
            encoder, base, fileBytes, fileBytes, false, null, List.copyOf(faults));
      }
      int blocksEnd = footer.blocksEnd();
      return new SstRemains(
          footer.encoder(), base, fileBytes, blocksEnd, true, tail(footer), List.copyOf(faults));
    }

    /** What opens the blocks, by the header alone. */
    private @Nullable FileCipher cipher(
        @Nullable ByteBuffer head, @Nullable FileHeader header, long id) {
      if (head == null) {
        return null;
      }
      FileKeys keys = access.fileSystem().keys();
      FileHeader known =
          header == null
              ? FileHeader.ofDamaged(path, head, FileKind.SST, number, id, keys)
              : header;
      return known.cipher(path, keys);
    }

    /** The unique id from the most reliable source. */
    private @Nullable Long uniqueId(
        @Nullable ByteBuffer head, @Nullable FileHeader header, @Nullable Footer footer) {
      if (expected != null) {
        return expected.uniqueId();
      } else if (header != null) {
        return header.uniqueId();
      } else if (footer != null) {
        return footer.uniqueId();
      }
      // The damage in the header may be elsewhere than in the id. The blocks' checksums will show.
      return head == null ? null : FileHeader.uniqueId(head);
    }

    private @Nullable FileHeader header(@Nullable ByteBuffer head) {
      if (head == null) {
        return null;
      }
      try {
        return FileHeader.decode(path, head, FileKind.SST, number);
      } catch (CorruptionException e) {
        faults.add(e);
        return null;
      }
    }

    private @Nullable Footer footer() {
      ByteBuffer end = bytes(fileBytes - Footer.MOST_BYTES, Footer.MOST_BYTES);
      try {
        return end == null ? null : Footer.decode(path, end, fileBytes, access.fileSystem().keys());
      } catch (CorruptionException e) {
        return null;
      }
    }

    /** Checks everything between blocks and footer, and reads the properties. */
    private @Nullable SstProperties tail(Footer footer) {
      int from = footer.blocksEnd();
      ByteBuffer bytes = bytes(from, footer.paddingEnd() - from);
      if (bytes == null) {
        return null;
      }
      StoredBlock.Decoder decoder =
          new StoredBlock.Decoder(path, footer.uniqueId(), access.codecs(), footer.cipher());
      StoredBlock.Decoder.Tail blocks = new StoredBlock.Decoder.Tail(decoder, bytes, from);
      try {
        IndexTop top = IndexTop.read(footer, 0, blocks);
        IndexPart part = null;
        for (int i = 0; i < top.parts(); i++) {
          part = top.partAfter(part, this::pages, access.cache());
        }
      } catch (CorruptionException e) {
        faults.add(e);
      }
      checkFilter(decoder, footer);
      try {
        decoder.requireZeros(bytes, footer.propertiesEnd() - from, bytes.limit(), from);
      } catch (CorruptionException e) {
        faults.add(e);
      }
      int at = footer.propertiesOffset();
      try {
        return SstProperties.decode(
            path,
            blocks.get("properties", at, footer.propertiesBytes()),
            at,
            expected == null ? 0 : expected.baseSequence());
      } catch (CorruptionException e) {
        faults.add(e);
        return null;
      }
    }

    private void checkFilter(StoredBlock.Decoder decoder, Footer footer) {
      FilterShape filter = footer.filter();
      try {
        for (int i = 0; i < footer.filterPages() && filter != null; i++) {
          FilterPage.read(decoder, footer.blocksEnd(), filter, i, this::pages);
        }
      } catch (CorruptionException e) {
        faults.add(e);
      }
    }

    private ByteBuffer pages(long from, long to) {
      ByteBuffer pages = ByteBuffer.allocate((int) (to - from));
      file.readFully(pages, from);
      return pages.flip();
    }

    /** A range of the file; null when the file is too short. */
    private @Nullable ByteBuffer bytes(long offset, int length) {
      if (offset < 0 || offset + length > file.size()) {
        return null;
      }
      return pages(offset, offset + length);
    }
  }
}
