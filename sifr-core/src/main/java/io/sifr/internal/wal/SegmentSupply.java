package io.sifr.internal.wal;

import io.sifr.config.LogAccess;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryNotOpenedException;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.SegmentAllowance;
import io.sifr.internal.util.FirstFailure;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Supplies segments: recycled ones, or new files filled with zeros. One is prepared in advance, so
 * that the writer does not wait for the disk when its segment is full.
 *
 * <p>Before the first record is stored into a segment, its bytes, its header and its name are made
 * durable, in this order. A file has the name of a segment only while it has that segment's header:
 * a new file is filled under a temporary name, and a recycled one gets its new header under its old
 * name, which replay ignores, because only segments that are no longer needed are recycled. So a
 * bad header is always damage.
 *
 * <p>A log begins with a small segment, and the following ones grow to the configured size, so that
 * a small store takes little space. At first each segment is as large as all before it together,
 * later a quarter of that, so that at most about half of the log's space is unwritten.
 *
 * <p>Numbers ascend in the order in which segments are taken; replay relies on it. Thread-safe.
 */
final class SegmentSupply implements SegmentAllowance.Keeper, AutoCloseable {
  /** Suffix of the name of a file that is still being filled. */
  static final String UNFINISHED_SUFFIX = ".new";

  /** Most released segments kept for recycling: as many as one flush usually releases. */
  private static final int MAX_RETIRED = 4;

  private static final int FILL_CHUNK_BYTES = 256 << 10;

  /** Size of the first segment of a log, unless the configured size is smaller. */
  private static final int FIRST_SEGMENT_BYTES = 16 << 10;

  /** Up to this size a log doubles with each segment. */
  private static final int DOUBLING_BYTES = 256 << 10;

  /** Beyond that size each segment adds the size of the log divided by this. */
  private static final int GROWTH_DIVISOR = 4;

  private final StoreFileSystem files;
  private final Path directory;
  private final LongSupplier numbers;
  private final LongSupplier uniqueIds;
  private final int segmentBytes;
  private final LogAccess access;
  private final WalResources resources;
  private final FirstFailure failure;

  // All guarded by this.
  private final Deque<WalSegment> retired = new ArrayDeque<>();
  private @Nullable WalSegment spare;
  private long lastNumber;

  /** Bytes of all segments so far, including released ones. */
  private long suppliedBytes;

  private boolean closed;

  SegmentSupply(WalParts parts, FirstFailure failure) {
    this.files = parts.files();
    this.directory = parts.directory();
    this.numbers = parts.fileNumbers();
    this.uniqueIds = parts.uniqueIds();
    this.segmentBytes = (int) parts.segmentBytes();
    this.access = parts.access();
    this.resources = parts.resources();
    this.failure = failure;
  }

  /** Deletes files that were being filled when a crash happened. */
  void deleteUnfinished() {
    for (String name : files.list(directory)) {
      if (isUnfinished(name)) {
        files.delete(directory.resolve(name));
      }
    }
  }

  /** Whether a file name is that of a segment being filled, now or at the time of a crash. */
  static boolean isUnfinished(String name) {
    return name.endsWith(UNFINISHED_SUFFIX)
        && FileKind.WAL
            .numberOf(name.substring(0, name.length() - UNFINISHED_SUFFIX.length()))
            .isPresent();
  }

  /**
   * Takes the segment to write next, with room for a frame of that size: the spare one, if it is
   * ready and large enough.
   *
   * @throws StoreIoException when a new one cannot be created; a later call tries again
   * @throws io.sifr.error.StoreFailedException when it is unknown, and no later sync can tell,
   *     whether its name is durable
   */
  synchronized WalSegment take(long frameBytes) {
    int needed = Math.toIntExact(WalFormat.segmentBytesFor(frameBytes));
    WalSegment ready = spare;
    spare = null;
    if (ready != null && ready.bytes() >= needed) {
      return ready;
    }
    if (ready != null) {
      discard(ready); // its number would be smaller than that of the previous segment
    }
    return prepare(needed);
  }

  /**
   * Whether segments have reached their final size, so that the next one is prepared early. While
   * they still grow, the next one would be larger and take space that may never be needed.
   */
  boolean isFullSize(WalSegment segment) {
    return segment.bytes() >= segmentBytes;
  }

  /**
   * Reopens a segment of an earlier writer, whose header and name are durable.
   *
   * @param end where its records end
   */
  synchronized WalSegment reopen(long number, int end) {
    try (WalSegmentReader reader = WalSegmentReader.open(files, directory, number)) {
      int bytes = reader.size();
      WalSegment segment =
          new WalSegment(reader.path(), reader.header(), bytes, open(reader.path(), bytes), end);
      lastNumber = Math.max(lastNumber, number);
      suppliedBytes += bytes;
      return segment;
    }
  }

  /** Starts preparing the segment that follows this one in the background. */
  void prepareNext(WalSegment segment) {
    long number = segment.number();
    try {
      resources.executor().execute(() -> prepareSpare(number));
    } catch (RuntimeException e) {
      // Rejected: the writer will find no spare segment and create one itself.
    }
  }

  /**
   * Does nothing when the writer was faster and has created the next segment itself: the one after
   * that is not needed yet, and a log that still grows would take its space too early.
   */
  private synchronized void prepareSpare(long precedingNumber) {
    if (closed || spare != null || lastNumber > precedingNumber || failure.isNoted()) {
      return;
    }
    try {
      WalSegment prepared = prepare(0);
      prepared.warmUp();
      spare = prepared;
    } catch (SifrException e) {
      // The writer will find no spare segment, try again itself, and report the failure it gets.
    }
  }

  /** Accepts a segment that is no longer needed: keeps it for recycling or deletes it. */
  synchronized void retire(WalSegment segment) {
    if (!closed
        && !failure.isNoted()
        && segment.bytes() == segmentBytes
        && retired.size() < MAX_RETIRED
        && resources.kept().take(this, segment.bytes())) {
      retired.add(segment);
    } else {
      discard(segment);
    }
  }

  /** The next retired segment, which is not kept any more. */
  private @Nullable WalSegment pollRetired() {
    WalSegment segment = retired.poll();
    if (segment != null) {
      resources.kept().giveBack(this, segment.bytes());
    }
    return segment;
  }

  /** Deletes the retired segments, because other logs have more use for the space. */
  @Override
  public void deleteSoon() {
    try {
      resources.executor().execute(this::deleteRetired);
    } catch (RejectedExecutionException e) {
      // The store is being closed, which deletes them too.
    }
  }

  private synchronized void deleteRetired() {
    for (WalSegment next = pollRetired(); next != null; next = pollRetired()) {
      try {
        discard(next);
      } catch (SifrException e) {
        // Nobody waits for the space. Closing the store tries again, or the next opening.
      }
    }
  }

  /** Closes and deletes a segment that was taken but, because of that failure, never used. */
  void giveUp(WalSegment segment, Throwable failed) {
    closeAfter(failed, segment.detach());
    deleteAfter(failed, segment.path());
  }

  private void discard(WalSegment segment) {
    segment.detach().close();
    files.delete(segment.path());
  }

  private WalSegment prepare(int neededBytes) {
    FileHeader header = nextHeader();
    WalSegment old = neededBytes <= segmentBytes ? pollRetired() : null;
    WalSegment next =
        old == null
            ? create(header, Math.max(neededBytes, nextSegmentBytes()))
            : recycle(header, old);
    suppliedBytes += next.bytes();
    return next;
  }

  private int nextSegmentBytes() {
    long grown = Math.max(Math.min(suppliedBytes, DOUBLING_BYTES), suppliedBytes / GROWTH_DIVISOR);
    long wanted = Math.min(Math.max(grown, FIRST_SEGMENT_BYTES), segmentBytes);
    return WalFormat.wholePages(wanted);
  }

  private WalSegment create(FileHeader header, int bytes) {
    Path path = path(header);
    Path unfinished = directory.resolve(path.getFileName() + UNFINISHED_SUFFIX);
    try {
      fill(unfinished, header, bytes);
      files.reached(LogCrashPoint.LOG_SEGMENT_FILLED);
      giveName(unfinished, path);
      files.reached(LogCrashPoint.LOG_SEGMENT_PREPARED);
      return new WalSegment(path, header, bytes, open(path, bytes));
    } catch (RuntimeException | Error e) {
      deleteAfter(e, unfinished);
      deleteAfter(e, path);
      throw e;
    }
  }

  private void fill(Path file, FileHeader header, int bytes) {
    ByteBuffer chunk = ByteBuffer.allocate(Math.min(bytes, FILL_CHUNK_BYTES));
    try (AppendFile out = files.create(file)) {
      header.encodeTo(chunk, 0);
      out.append(chunk.array(), 0, FileHeader.BYTES);
      byte[] zeros = new byte[chunk.capacity()];
      for (int left = bytes - FileHeader.BYTES; left > 0; ) {
        int length = Math.min(left, zeros.length);
        out.append(zeros, 0, length);
        left -= length;
      }
      out.sync();
    }
  }

  private WalSegment recycle(FileHeader header, WalSegment old) {
    Path path = path(header);
    SegmentStorage storage = old.detach();
    try {
      ByteBuffer encoded = ByteBuffer.allocate(FileHeader.BYTES);
      header.encodeTo(encoded, 0);
      storeHeader(old.path(), storage, encoded.array());
      storage.sync(0, FileHeader.BYTES);
      files.reached(LogCrashPoint.LOG_SEGMENT_RENUMBERED);
      giveName(old.path(), path);
      files.reached(LogCrashPoint.LOG_SEGMENT_PREPARED);
      return new WalSegment(path, header, old.bytes(), storage);
    } catch (RuntimeException | Error e) {
      closeAfter(e, storage);
      deleteAfter(e, old.path());
      deleteAfter(e, path);
      throw e;
    }
  }

  private static void storeHeader(Path path, SegmentStorage storage, byte[] header) {
    try {
      storage.storeHeader(header);
    } catch (InternalError e) {
      throw WalSegment.notWritten(path, 0, e);
    }
  }

  private FileHeader nextHeader() {
    long number = numbers.getAsLong();
    if (number <= lastNumber) {
      throw new IllegalStateException(
          "file number " + number + " is not larger than " + lastNumber + ", the last segment's");
    }
    lastNumber = number;
    FileHeader header = FileHeader.of(FileKind.WAL, number, uniqueIds.getAsLong());
    if (files.exists(path(header))) { // a rename would replace it
      throw new IllegalStateException(
          "file number " + number + " is not new: there is " + path(header));
    }
    return header;
  }

  private Path path(FileHeader header) {
    return FileKind.WAL.path(directory, header.number());
  }

  private void giveName(Path current, Path path) {
    files.rename(current, path);
    try {
      files.syncDirectory(directory);
    } catch (StoreFullException | DirectoryNotOpenedException e) {
      throw e;
    } catch (StoreIoException e) {
      throw failure.poison(e); // the next sync would report success for names that are lost
    }
  }

  private SegmentStorage open(Path path, int bytes) {
    return switch (access) {
      case MAPPED -> new MappedStorage(files.mapForWrite(path, bytes));
      case WRITTEN -> new WrittenStorage(files.openForWrite(path, bytes));
    };
  }

  private void deleteAfter(Throwable failed, Path file) {
    try {
      files.delete(file);
    } catch (SifrException e) {
      failed.addSuppressed(e);
    }
  }

  private static void closeAfter(Throwable failed, SegmentStorage storage) {
    try {
      storage.close();
    } catch (SifrException e) {
      failed.addSuppressed(e);
    }
  }

  /**
   * Closes the segments that were not taken. The files stay: closing the store deletes them, or the
   * next opening does.
   */
  @Override
  public synchronized void close() {
    closed = true;
    RuntimeException failed = null;
    List<WalSegment> left = new ArrayList<>();
    if (spare != null) {
      left.add(spare);
      spare = null;
    }
    for (WalSegment next = pollRetired(); next != null; next = pollRetired()) {
      left.add(next);
    }
    for (WalSegment segment : left) {
      try {
        segment.detach().close();
      } catch (SifrException e) {
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
