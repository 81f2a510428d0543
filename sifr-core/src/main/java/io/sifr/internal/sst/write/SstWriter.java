package io.sifr.internal.sst.write;

import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.FilterPage;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.RangeTombstoneField;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.format.SstProperties;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import io.sifr.internal.value.ValueRecord;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes one SST, from its first entry to its last.
 *
 * <p>All versions of a user key belong into one SST (I3): a stream of entries must be split into
 * SSTs between user keys. The writer does not know the neighbouring SSTs and cannot check this.
 *
 * <p>After an exception other than {@link IllegalArgumentException}, only {@link #close} may be
 * called. Used by one thread at a time.
 */
public final class SstWriter implements AutoCloseable {
  private final StoreFileSystem fs;
  private final Path path;
  private final FileHeader header;
  private final int databaseId;
  private final ChecksummedFile file;
  private final DataBlocks blocks;
  private final FenceWriter fences;
  private final StoredBlock.Encoder encoder;
  private final KeyHash.@Nullable Buffer hashes;
  private final KeySketch.Builder sketch = new KeySketch.Builder();
  private boolean finished;

  private byte[] smallestKey = Bytes.EMPTY;
  private byte[] lastKey = new byte[64];
  private int lastKeyLength;
  // Above every sequence number, so that any entry may be the first.
  private long lastSequence = Trailer.MAX_SEQUENCE + 1;

  private long entries;
  private long tombstones;

  /** The time at which the last of its values is due; 0 as long as there are only tombstones. */
  private long lastExpiry;

  private long rawBytes;

  /** Bytes of values that entries refer to, by value file. */
  private final SortedMap<Long, Long> values = new TreeMap<>();

  private long minSequence = Long.MAX_VALUE;
  private long maxSequence;

  /**
   * Creates the file, which must not exist yet.
   *
   * @param number number of the SST, never used before
   * @param uniqueId random id, never used before
   * @param databaseId the database the SST belongs to, needed when the manifest is lost; 0 for none
   * @param codec encodes the blocks
   * @param staging from {@link #newStaging}; may be reused by the next writer once this one is
   *     closed
   * @param hashes receives the hash of each user key once, for the filter; null for no filter
   */
  public SstWriter(
      SstAccess access,
      long number,
      long uniqueId,
      int databaseId,
      BlockCodec codec,
      byte[] staging,
      KeyHash.@Nullable Buffer hashes) {
    this(
        access,
        access.path(number),
        access.newHeader(number, uniqueId),
        databaseId,
        codec,
        staging,
        hashes);
  }

  /**
   * Creates a file with any name.
   *
   * @param header its header, whose number nobody checks
   */
  public SstWriter(
      SstAccess access,
      Path path,
      FileHeader header,
      int databaseId,
      BlockCodec codec,
      byte[] staging,
      KeyHash.@Nullable Buffer hashes) {
    this.fs = access.fileSystem();
    this.hashes = hashes;
    this.databaseId = databaseId;
    this.path = path;
    this.header = header;
    this.encoder = new StoredBlock.Encoder(header.uniqueId(), header.cipher(path, fs.keys()));
    this.file = new ChecksummedFile(access.create(path));
    this.fences = new FenceWriter(access.codecs().indexPartBytes(), encoder);
    BlockWriter writer = new BlockWriter(file, header, encoder, staging);
    this.blocks =
        codec == Codecs.NONE
            ? new DataBlocks.Plain(writer, fences)
            : new EncodedBlocks(codec, writer, fences);
  }

  /** Allocates a write buffer of an eighth of a usual SST's size. */
  public static byte[] newStaging() {
    return new byte[BlockWriter.STAGING_BYTES];
  }

  /**
   * Appends the current entry of the source, which must be after the previous one in internal
   * order. Allocates nothing, except for a value of more than sixteen pages.
   *
   * @throws IllegalArgumentException when it is out of order, or key or value are longer than the
   *     format allows; nothing is changed then
   * @throws IllegalStateException when the file becomes longer than 2 GiB
   */
  public void add(ForwardIterator source) {
    byte[] key = source.keyArray();
    int offset = source.keyOffset();
    int length = source.keyLength();
    long trailer = source.trailer();
    int valueLength = source.valueLength();
    if (length > EntryLimits.MAX_KEY_BYTES || valueLength > EntryLimits.MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "key of %d bytes, value of %d bytes; allowed: up to %d and %d"
              .formatted(
                  length, valueLength, EntryLimits.MAX_KEY_BYTES, EntryLimits.MAX_VALUE_BYTES));
    }
    long sequence = Trailer.sequence(trailer);
    int common = Bytes.commonPrefix(lastKey, 0, lastKeyLength, key, offset, length);
    requireOrder(key, offset, length, common, sequence);
    boolean closed = blocks.add(source, key, offset, length, common, trailer, lastSequence);
    if (closed && fileBytes() > SstFormat.MAX_FILE_BYTES) {
      throw new IllegalStateException(path + " is getting longer than 2 GiB, which no SST can be");
    }
    boolean isOlderVersion = entries > 0 && common == length && common == lastKeyLength;
    if (!isOlderVersion) {
      long hash = KeyHash.of(key, offset, length);
      sketch.add(hash, Trailer.isTombstone(trailer), SeparatedKind.is(trailer));
      if (hashes != null) {
        hashes.add(hash);
        hashes.addPrefixOf(key, offset, length, common);
      }
    }
    remember(key, offset, length, common);
    lastSequence = sequence;
    entries++;
    tombstones += Trailer.isTombstone(trailer) ? 1 : 0;
    lastExpiry = Math.max(lastExpiry, ExpiringKind.dueOf(source));
    rawBytes += length + valueLength;
    if (SeparatedKind.is(trailer)) {
      Reference reference = SeparatedKind.referenceOf(source);
      values.merge(reference.file(), ValueRecord.bytes(reference, length), Long::sum);
    }
    minSequence = Math.min(minSequence, sequence);
    maxSequence = Math.max(maxSequence, sequence);
  }

  /** Finding the common prefix of two keys also determines their order. */
  private void requireOrder(byte[] key, int offset, int length, int common, long sequence) {
    boolean after;
    if (common == lastKeyLength) {
      after = common < length || sequence < lastSequence;
    } else {
      after = common < length && (key[offset + common] & 0xFF) > (lastKey[common] & 0xFF);
    }
    if (!after) {
      throw new IllegalArgumentException(
          "entry %d, with sequence number %d, is not after the previous one, with %d"
              .formatted(entries, sequence, lastSequence));
    }
  }

  private void remember(byte[] key, int offset, int length, int common) {
    if (length > lastKey.length) {
      lastKey = Arrays.copyOf(lastKey, 2 * length);
    }
    System.arraycopy(key, offset + common, lastKey, common, length - common);
    lastKeyLength = length;
    if (entries == 0) {
      smallestKey = Arrays.copyOf(lastKey, length);
    }
  }

  /** Bytes written to the file so far, in pieces of some pages. */
  public long writtenBytes() {
    return file.position();
  }

  /** CRC32C of all bytes written to the file so far; of the whole file once it is finished. */
  public int checksum() {
    return file.checksum();
  }

  /** Size of the file if it is finished now; at most a page too large, with a codec some pages. */
  long fileBytes() {
    int tailPages = SstFormat.pages(tailBytes());
    return blocks.end() + (long) (filterPages() + tailPages) * SstFormat.PAGE_BYTES;
  }

  private int filterPages() {
    FilterShape shape = hashes == null ? null : hashes.shape();
    return shape == null ? 0 : FilterPage.count(shape);
  }

  /**
   * The same without filter, and without the padding of the last block and of what follows the
   * blocks; with a codec an estimate. It measures how full even a small SST is: a file with a
   * single entry already has two pages. Filters do not count, so that SSTs with and without end
   * after the same keys.
   */
  public long unpaddedBytes() {
    return blocks.entriesEnd() + tailBytes();
  }

  private long tailBytes() {
    return (long) fences.storedBytes()
        + SstProperties.maxBytes(smallestKey.length, lastKeyLength)
        + encoder.overhead()
        + Footer.bytes(encoder.cipher());
  }

  /**
   * Writes what follows the blocks, makes the file durable and closes it. Its name is durable once
   * the caller has synced the directory.
   *
   * <p>If there are range tombstones and no entry, a tombstone of the first key that they delete is
   * added, which says nothing new: so no SST is without entries, and no reader has to expect one.
   *
   * @param ranges range tombstones; null for none
   * @param lastWrite when the last of its entries was written, see {@link SstMeta.Times}
   * @return its metadata for the manifest
   * @throws IllegalStateException when there is nothing, or the file is longer than 2 GiB
   */
  public SstMeta finish(@Nullable RangeTombstones ranges, long lastWrite) {
    if (entries == 0) {
      if (ranges == null) {
        throw new IllegalStateException("an SST without entries cannot be finished");
      }
      add(new FirstTombstone(ranges));
    }
    blocks.finish();
    byte[] largestKey = Arrays.copyOf(lastKey, lastKeyLength);
    SstProperties properties =
        new SstProperties(
            new SstMeta.Counts(entries, tombstones, SstProperties.fragments(ranges), rawBytes),
            new SstMeta.Sequences(
                0,
                ranges == null ? minSequence : Math.min(minSequence, ranges.oldest()),
                ranges == null ? maxSequence : Math.max(maxSequence, ranges.newest())),
            new SstMeta.Keys(smallestKey, largestKey),
            new SstProperties.Origin(databaseId, hashes == null ? null : hashes.prefix()),
            ranges,
            new SstMeta.Times(lastWrite, lastExpiry == 0 ? ExpiringKind.NEVER : lastExpiry),
            values.entrySet().stream()
                .map(use -> new ValueUse(use.getKey(), use.getValue()))
                .toList());
    long size = appendTail(properties, ranges);
    file.sync();
    file.close();
    finished = true;
    return properties
        .toMeta(new SstMeta.Identity(header.number(), header.uniqueId(), size, header.key()), 0)
        .with(sketch.toSketch());
  }

  /** Writes the filter after the blocks. */
  private @Nullable FilterShape appendFilter() {
    FilterShape shape = hashes == null ? null : hashes.shape();
    if (hashes == null || shape == null) {
      return null;
    }
    byte[] pages = FilterPage.encode(shape, hashes.toFilter(shape), encoder, file.position());
    file.append(pages, 0, pages.length);
    return shape;
  }

  private long appendTail(SstProperties properties, @Nullable RangeTombstones ranges) {
    byte[] encoded = ranges == null ? null : RangeTombstoneField.encode(ranges);
    long blocksEnd = file.position();
    FilterShape filter = appendFilter();
    long indexOffset = file.position();
    ByteBuffer tail =
        ByteBuffer.allocate(
            Math.toIntExact(
                tailBytes()
                    + (encoded == null ? 0 : 2L * VarInts.MAX_INT_BYTES + encoded.length)
                    + SstProperties.valuesBytes(properties.values())));
    int partsBytes = fences.store(tail, indexOffset);
    int propertiesAt = tail.position();
    properties.encodeTo(tail, encoded);
    int end = tail.position() + encoder.overhead();
    encoder.complete(tail, propertiesAt, end, indexOffset + propertiesAt);
    int footerBytes = Footer.bytes(encoder.cipher());
    int tailBytes = SstFormat.pages(end + (long) footerBytes) * SstFormat.PAGE_BYTES;
    long size = indexOffset + tailBytes;
    if (size > SstFormat.MAX_FILE_BYTES) {
      throw new IllegalStateException(path + " is longer than 2 GiB, which no SST can be");
    }
    Footer footer =
        new Footer(
            (int) blocksEnd,
            new Footer.Top((int) indexOffset + partsBytes, propertiesAt - partsBytes),
            end - propertiesAt,
            fences.blocks(),
            filter,
            (int) size,
            encoder);
    byte[] stored = Arrays.copyOf(Arrays.copyOf(tail.array(), end), tailBytes);
    footer.encodeTo(ByteBuffer.wrap(stored), tailBytes - Footer.BYTES);
    file.append(stored, 0, tailBytes);
    return size;
  }

  /** Unless {@link #finish} was called, deletes the file. */
  @Override
  public void close() {
    if (finished) {
      return;
    }
    finished = true;
    try {
      file.close();
    } finally {
      fs.delete(path);
    }
  }

  /** A tombstone of the first key that range tombstones delete, on which it is positioned. */
  private static final class FirstTombstone extends EntryIterator.Positioned {
    private static final ByteBuffer NO_VALUE = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final long trailer;

    FirstTombstone(RangeTombstones ranges) {
      super(ranges.first());
      long newest = ranges.newestCovering(key, 0, key.length, Trailer.MAX_SEQUENCE);
      trailer = Trailer.of(newest, EntryKind.DELETE);
      positionAt(key, 0, key.length);
    }

    @Override
    public boolean seekToFirst() {
      return positionAt(key, 0, key.length);
    }

    @Override
    public boolean next() {
      return leave();
    }

    @Override
    public long trailer() {
      return trailer;
    }

    @Override
    public int valueLength() {
      return 0;
    }

    @Override
    public void copyValue(byte[] target, int offset) {}

    @Override
    public ByteBuffer value() {
      return NO_VALUE;
    }

    @Override
    public void close() {
      valid = false;
    }
  }
}
