package io.sifr.internal.sst.inspect;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.EntryReader;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstProperties;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The entries of all intact blocks of an SST, whatever else of it is damaged, and the gaps between
 * these blocks. For one thread.
 *
 * <p>The index is not needed: a block begins at a page and its checksum is at the end of its last
 * page, so blocks are found by computing checksums over up to {@value SstFormat#MAX_SHARED_PAGES}
 * pages from each page on, or over the length of the single entry that a longer block holds. The
 * checksum is bound to the file and the offset, and it must cover entries in ascending order, so
 * nothing else is mistaken for a block.
 */
public final class DamagedSst extends EntryIterator.Positioned {
  private static final int PAGE = SstFormat.PAGE_BYTES;

  /** In at most so many pages is all that precedes the entry of a block with only one. */
  private static final int MOST_PAGES_BEFORE_ENTRY =
      SstFormat.pages(EntryLimits.MAX_KEY_BYTES + (long) PAGE);

  /** The same, for each page of the file. */
  private static final long MOST_SEARCHED = 64;

  private final long number;
  private final EntryKinds kinds;
  private final StoredBlock.Decoder decoder;
  private final SstRemains remains;
  private final SstPages pages;
  private final BlockEntries block = new BlockEntries();
  private final EntryReader reader = new EntryReader(block);
  private final CRC32C crc = new CRC32C();
  private final List<SstGap> gaps = new ArrayList<>();

  private int nextPage;
  private long entries;

  // The last entry of the previous intact block; null before the first block.
  private byte @Nullable [] lastKey;
  private long lastTrailer;

  /** Pages that are looked at, at most, to find where encrypted blocks of many pages end. */
  private long searched;

  /** The first page of the current gap; -1 outside a gap. */
  private int gapPage = -1;

  private String gapReason = "";

  /** The reason why no intact block begins at the page examined last. */
  private String whyNone = "";

  private DamagedSst(SstAccess access, long number, SstRemains remains, RandomReadFile file) {
    super(Bytes.EMPTY);
    StoredBlock.Encoder encoder = remains.encoder();
    this.number = number;
    this.kinds = access.kinds();
    this.decoder =
        new StoredBlock.Decoder(
            access.path(number),
            encoder == null ? 0 : encoder.uniqueId(),
            access.codecs(),
            encoder == null ? null : encoder.cipher());
    this.remains = remains;
    long end = Math.min(remains.blocksEnd(), file.size());
    this.pages = new SstPages(file, (int) Math.min(end / PAGE, SstFormat.MAX_FILE_BYTES / PAGE));
    this.searched = MOST_SEARCHED * pages.pages();
  }

  /**
   * Opens an SST, positioned before its first entry.
   *
   * @param number number in its name
   * @param expected its metadata in the manifest; null when that is not known
   * @throws io.sifr.error.UnsupportedFormatException when a newer version wrote it
   * @throws io.sifr.error.StoreIoException when the file cannot be opened
   */
  public static DamagedSst open(SstAccess access, long number, @Nullable SstMeta expected) {
    RandomReadFile file = access.fileSystem().openForRead(access.path(number));
    try {
      return new DamagedSst(access, number, SstRemains.read(access, file, number, expected), file);
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  /** Damage outside the blocks. */
  public List<CorruptionException> faults() {
    return remains.faults();
  }

  /** The SST's properties; null when they are lost. */
  public @Nullable SstMeta meta() {
    return remains.toMeta(number);
  }

  /** Its range tombstones; null when it has none, or they are lost with its properties. */
  public @Nullable RangeTombstones rangeTombstones() {
    SstProperties properties = remains.properties();
    return properties == null ? null : properties.rangeTombstones();
  }

  /** Number of the database it was written for; 0 when that is unknown. */
  public int databaseId() {
    SstProperties properties = remains.properties();
    return properties == null ? 0 : properties.origin().databaseId();
  }

  /** Whether it is known where the blocks end. If not, the last gap includes what follows them. */
  public boolean isEndKnown() {
    return remains.isEndKnown();
  }

  /** The size the file should have, as far as that is known. */
  public long fileBytes() {
    return remains.fileBytes();
  }

  /** Gaps without an intact block found so far. */
  public List<SstGap> gaps() {
    return List.copyOf(gaps);
  }

  /** Number of entries read so far, including the current one. */
  public long entries() {
    return entries;
  }

  @Override
  public boolean seekToFirst() {
    nextPage = 0;
    entries = 0;
    gaps.clear();
    gapPage = -1;
    lastKey = null;
    return nextBlock();
  }

  @Override
  public boolean next() {
    requireValid();
    if (reader.hasNext() && reader.moveTo(reader.number() + 1)) {
      return positionAtRead();
    }
    remember();
    return nextBlock();
  }

  private boolean nextBlock() {
    while (nextPage < pages.pages()) {
      int length = wholeBlock(nextPage);
      if (length > 0) {
        endGap(nextPage, Arrays.copyOf(reader.key, reader.keyLength));
        nextPage += length;
        return positionAtRead();
      }
      if (gapPage < 0) {
        gapPage = nextPage;
        gapReason = whyNone;
      }
      nextPage++;
    }
    endGap(pages.pages(), null);
    endOfFile();
    return leave();
  }

  private boolean positionAtRead() {
    entries++;
    return positionAt(reader.key, 0, reader.keyLength);
  }

  private void endGap(int page, byte @Nullable [] keyAfter) {
    if (gapPage >= 0) {
      long at = (long) gapPage * PAGE;
      gaps.add(new SstGap(at, (long) page * PAGE - at, lastKey, keyAfter, gapReason));
      gapPage = -1;
    }
  }

  /** The missing part of a truncated file is a gap as well. */
  private void endOfFile() {
    long end = (long) pages.pages() * PAGE;
    if (remains.blocksEnd() > end) {
      long from = end;
      if (!gaps.isEmpty()) {
        SstGap last = gaps.get(gaps.size() - 1);
        if (last.offset() + last.bytes() == end) {
          from = last.offset();
          gaps.remove(gaps.size() - 1);
        }
      }
      gaps.add(
          new SstGap(from, remains.blocksEnd() - from, lastKey, null, "the file ends too early"));
    }
  }

  /**
   * Number of pages of the intact block that begins at a page, to whose first entry it moves; 0
   * when there is none.
   */
  private int wholeBlock(int page) {
    if (remains.encoder() == null) {
      whyNone = "the unique id is lost, without which no block can be checked";
      return 0;
    }
    whyNone = "no intact block";
    int length = sharedBlock(page);
    return length > 0 ? length : longBlock(page);
  }

  /**
   * Tries blocks of up to {@value SstFormat#MAX_SHARED_PAGES} pages; only the checksum proves a
   * length.
   */
  private int sharedBlock(int page) {
    int longest = pages.load(page, SstFormat.MAX_SHARED_PAGES);
    int start = start(page);
    int from = start;
    crc.reset();
    for (int length = 1; length <= longest; length++) {
      int end = pages.offset(page) + length * PAGE;
      crc.update(pages.array(), from, end - Integer.BYTES - from);
      from = end - Integer.BYTES;
      if (isChecksum(page, end) && enter(page, start, end)) {
        return length;
      }
    }
    return 0;
  }

  private int longBlock(int page) {
    int length = decoder.cipher() == null ? longBlockByOffsets(page) : longBlockByTrailer(page);
    if (length <= SstFormat.MAX_SHARED_PAGES || length > pages.pages() - page) {
      return 0;
    }
    pages.load(page, length);
    int start = start(page);
    int end = pages.offset(page) + length * PAGE;
    crc.reset();
    crc.update(pages.array(), start, end - Integer.BYTES - start);
    return isChecksum(page, end) && enter(page, start, end) ? length : 0;
  }

  /** Pages of an encrypted block, at the end of which it says how long it is; 0 if none does. */
  private int longBlockByTrailer(int page) {
    int least = SstFormat.MAX_SHARED_PAGES + 1;
    for (int length = least; length <= pages.pages() - page && searched > 0; length++) {
      searched--;
      int last = page + length - 1;
      pages.load(last, 1);
      int payload = StoredBlock.payloadBytes(pages.buffer(), pages.offset(last) + PAGE);
      if (payload == length * PAGE - firstByte(page) - StoredBlock.BYTES) {
        return length;
      }
    }
    return 0;
  }

  /** Pages of a larger block, which holds one entry, not encoded, whose offsets give the length. */
  private int longBlockByOffsets(int page) {
    int some = pages.load(page, MOST_PAGES_BEFORE_ENTRY);
    int start = start(page);
    int loaded = pages.offset(page) + some * PAGE;
    block.show(pages.buffer(), start, loaded);
    block.enter(0);
    if (block.groupEnd() != 1 || block.entriesAt() > loaded) {
      return 0;
    }
    long entryEnd = block.endOfOnlyEntry() & 0xFFFFFFFFL;
    return SstFormat.pages(
        firstByte(page) + entryEnd + BlockEntries.MARK_BYTES + StoredBlock.BYTES);
  }

  /** Where in the pages' buffer the block of a page begins. */
  private int start(int page) {
    return pages.offset(page) + firstByte(page);
  }

  /** Where in a page a block begins: in the first page of the file, after the header. */
  private static int firstByte(int page) {
    return page == 0 ? FileHeader.BYTES : 0;
  }

  private static long fileOffset(int page) {
    return (long) page * PAGE + firstByte(page);
  }

  private boolean isChecksum(int page, int end) {
    return StoredBlock.checksum(pages.buffer(), end)
        == Checksums.bind((int) crc.getValue(), decoder.uniqueId(), fileOffset(page));
  }

  /** Moves to the first entry of a block whose checksum is correct, if the block is sound. */
  private boolean enter(int page, int start, int end) {
    try {
      enterRaw(page, start, end);
    } catch (CorruptionException e) {
      return false;
    }
    byte[] before = lastKey;
    long trailerBefore = lastTrailer;
    boolean isSound = isSound();
    lastKey = before;
    lastTrailer = trailerBefore;
    return isSound && reader.moveTo(0);
  }

  /** Whether all entries of the block are allowed and come after each other and the last one. */
  private boolean isSound() {
    while (reader.hasNext()) {
      int entry = reader.number() + 1;
      if (!reader.moveTo(entry)
          || !block.isFilledUp(entry)
          || reader.keyLength > EntryLimits.MAX_KEY_BYTES
          || reader.trailer < 0
          || !kinds.isAllowed(Trailer.kind(reader.trailer), block.valueLength())
          || !isAfterLast()) {
        return false;
      }
      remember();
    }
    return true;
  }

  private void remember() {
    lastKey = Arrays.copyOf(reader.key, reader.keyLength);
    lastTrailer = reader.trailer;
  }

  private void enterRaw(int page, int start, int end) {
    long offset = fileOffset(page);
    ByteBuffer buffer = pages.buffer();
    decoder.checkTrailer("data block", buffer, start, end, offset);
    if (StoredBlock.isPlain(buffer, end)) {
      enterRaw(buffer, start, end - StoredBlock.BYTES, offset);
    } else {
      int raw = StoredBlock.rawBytes(buffer, end);
      ByteBuffer decoded =
          ByteBuffer.allocate(raw + StoredBlock.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      decoder.decode(buffer, start, end, offset, decoded);
      enterRaw(decoded, 0, raw, offset);
    }
  }

  private void enterRaw(ByteBuffer buffer, int start, int end, long offset) {
    BlockEntries.check(decoder.file(), buffer, start, end, offset);
    block.show(buffer, start, end);
    block.enter(remains.baseSequence());
    reader.enter();
  }

  private boolean isAfterLast() {
    byte[] last = lastKey;
    if (last == null) {
      return true;
    }
    int order = Bytes.compare(reader.key, 0, reader.keyLength, last, 0, last.length);
    return order > 0
        || (order == 0 && Trailer.sequence(reader.trailer) < Trailer.sequence(lastTrailer));
  }

  @Override
  public long trailer() {
    return reader.trailer;
  }

  @Override
  public int valueLength() {
    return block.valueLength();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    requireValid();
    block.buffer.get(block.valueAt(), target, offset, block.valueLength());
  }

  @Override
  public ByteBuffer value() {
    requireValid();
    return block.buffer.slice(block.valueAt(), block.valueLength()).asReadOnlyBuffer();
  }

  @Override
  public void close() {
    valid = false;
    pages.close();
  }
}
