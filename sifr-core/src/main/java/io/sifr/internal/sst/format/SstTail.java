package io.sifr.internal.sst.format;

import io.sifr.error.CorruptionException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The part of an SST that stays in memory after its first use: footer, properties and the top of
 * the index, read and checked. The parts of the index are read when they are needed.
 *
 * @param kinds the kinds of entries there may be
 * @param decoder checks the file's blocks
 * @param number number in the file's name
 * @param baseSequence base that is added to the sequence numbers in the file
 * @param footer the file's last bytes
 * @param properties the SST's properties
 * @param top the top of the index
 */
public record SstTail(
    EntryKinds kinds,
    StoredBlock.Decoder decoder,
    long number,
    long baseSequence,
    Footer footer,
    SstProperties properties,
    IndexTop top) {

  /** Pages of the smallest file: one of entries, one of everything else. */
  private static final int MIN_PAGES = 2;

  /** Enough for all of it, unless keys are very long or there are hundreds of parts. */
  private static final int FIRST_READ_BYTES = 2 * SstFormat.PAGE_BYTES;

  /**
   * Checks a file's size before anything of it is mapped or read.
   *
   * @throws CorruptionException when no SST has that size
   */
  public static void checkSize(Path file, long fileBytes) {
    if (fileBytes < MIN_PAGES * SstFormat.PAGE_BYTES
        || fileBytes > SstFormat.MAX_FILE_BYTES
        || fileBytes % SstFormat.PAGE_BYTES != 0) {
      throw new CorruptionException(
          file, 0, "the file has " + fileBytes + " bytes, which is not the size of an SST");
    }
  }

  /**
   * Reads what follows the parts of the index in whole pages, as direct reads require.
   *
   * @param file the file
   * @param kinds the kinds of entries there may be
   * @param codecs the codecs that blocks may be encoded with
   * @param keys the keys that it may be encrypted with
   * @param size size of the file, which was checked
   * @param number number in the file's name
   * @param baseSequence base that is added to the sequence numbers in the file
   * @throws CorruptionException when a part is damaged or does not match the others
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote the file
   */
  public static SstTail read(
      Path file,
      EntryKinds kinds,
      BlockCodecs codecs,
      FileKeys keys,
      long size,
      PageSource source,
      long number,
      long baseSequence) {
    long from = Math.max(0, size - FIRST_READ_BYTES);
    ByteBuffer end = source.read(from, size);
    Footer footer = Footer.decode(file, end, size, keys);
    if (footer.topOffset() < from) {
      from = SstFormat.pageStart(footer.topOffset());
      end = source.read(from, size);
    }
    StoredBlock.Decoder decoder =
        new StoredBlock.Decoder(file, footer.uniqueId(), codecs, footer.cipher());
    StoredBlock.Decoder.Tail blocks = new StoredBlock.Decoder.Tail(decoder, end, (int) from);
    IndexTop top = IndexTop.read(footer, baseSequence, blocks);
    ByteBuffer properties =
        blocks.get("properties", footer.propertiesOffset(), footer.propertiesBytes());
    int padding = footer.propertiesEnd() - (int) from;
    decoder.requireZeros(end, padding, footer.paddingEnd() - (int) from, from);
    return new SstTail(
        kinds,
        decoder,
        number,
        baseSequence,
        footer,
        SstProperties.decode(file, properties, footer.propertiesOffset(), baseSequence),
        top);
  }

  /**
   * Checks the file's header, which contains nothing that the footer does not.
   *
   * @param first the file's first page
   */
  public void checkHeader(ByteBuffer first) {
    Path file = file();
    FileHeader header = FileHeader.decode(file, first, FileKind.SST, number);
    if (header.uniqueId() != footer.uniqueId()) {
      throw new CorruptionException(
          file,
          0,
          "unique id is %016x, the footer says %016x"
              .formatted(header.uniqueId(), footer.uniqueId()));
    }
    if (header.key() != footer.key()) {
      throw new CorruptionException(
          file, 0, "key is %d, the footer says %d".formatted(header.key(), footer.key()));
    }
  }

  /** The file, for messages. */
  public Path file() {
    return decoder.file();
  }

  /** The metadata of this SST for the manifest. */
  public SstMeta toMeta() {
    return properties.toMeta(
        new SstMeta.Identity(number, footer.uniqueId(), footer.fileBytes(), footer.key()),
        baseSequence);
  }

  /**
   * Checks that this is the SST that the manifest lists.
   *
   * @throws CorruptionException when it is another one
   */
  public void requireIs(SstMeta expected) {
    SstMeta actual = toMeta();
    require("unique id", actual.uniqueId(), expected.uniqueId());
    require("number of entries", actual.entries(), expected.entries());
    require("number of tombstones", actual.tombstones(), expected.tombstones());
    require(
        "number of fragments of range tombstones",
        actual.rangeTombstones(),
        expected.rangeTombstones());
    require("time of its last write", actual.lastWrite(), expected.lastWrite());
    require("time at which its values expire", actual.lastExpiry(), expected.lastExpiry());
    require("bytes of keys and values", actual.rawBytes(), expected.rawBytes());
    require("smallest sequence number", actual.minSequence(), expected.minSequence());
    require("largest sequence number", actual.maxSequence(), expected.maxSequence());
    if (!Arrays.equals(actual.smallestKey(), expected.smallestKey())
        || !Arrays.equals(actual.largestKey(), expected.largestKey())) {
      throw new CorruptionException(
          file(), footer.propertiesOffset(), "the keys' range is not that of the manifest");
    }
    if (!actual.values().equals(expected.values())) {
      throw new CorruptionException(
          file(),
          footer.propertiesOffset(),
          "value files are " + actual.values() + ", the manifest says " + expected.values());
    }
  }

  private void require(String what, long actual, long expected) {
    if (actual != expected) {
      throw new CorruptionException(
          file(),
          footer.propertiesOffset(),
          what + " is " + actual + ", the manifest says " + expected);
    }
  }
}
