package io.sifr.internal.wal;

import io.sifr.config.LogAccess;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.SegmentAllowance;
import io.sifr.internal.util.Failures;
import io.sifr.internal.util.Failures.FirstFailure;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supplies segments: recycled ones, or new files filled with zeros. One is prepared in advance, so
 * that the writer does not wait for the disk when its segment is full; in a log whose segments have
 * their final size up to {@value #MAX_SPARES}, as far as there are segments to recycle, which takes
 * no more space. While a sync takes long, the writer goes on with those.
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
 * <p>A new segment may lie on another device ({@link StoreFileSystem#placeForLog}; MatrixKV, §4,
 * has its log in persistent memory), and stays where it was created. If one cannot be created or
 * recycled there, it is created in the store's directory, under another number, as what is left of
 * the first may come to light again.
 *
 * <p>Numbers ascend in the order in which segments are taken; replay relies on it.
 *
 * <p>Thread-safe. Segments are prepared one after the other, under a lock of their own; the lock
 * under which a spare segment is taken is never held during a call to the disk.
 */
final class SegmentSupply implements SegmentAllowance.Keeper, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentSupply.class);

  /** Suffix of the name of a file that is still being filled. */
  static final String UNFINISHED_SUFFIX = ".new";

  /** Most released segments kept for recycling: as many as one flush usually releases. */
  private static final int MAX_RETIRED = 4;

  /** Most segments prepared in advance. */
  private static final int MAX_SPARES = 3;

  /**
   * Size of the writes that fill a new segment. The page cache of some file systems (ext4, XFS)
   * keeps what one write brings as one piece, and writes a piece back as a whole when a store
   * through a mapping has changed any of it; so this is about what each commit costs the disk.
   */
  private static final int FILL_WRITE_BYTES = 4096;

  /** Size of the first segment of a log, unless the configured size is smaller. */
  private static final int FIRST_SEGMENT_BYTES = 16 << 10;

  /** Up to this size a log doubles with each segment. */
  private static final int DOUBLING_BYTES = 256 << 10;

  /** Beyond that size each segment adds the size of the log divided by this. */
  private static final int GROWTH_DIVISOR = 4;

  /** The part of the disk that a new segment may take. */
  enum Space {
    /** As little as possible, of all that there is. */
    ALL,
    /** The space that is left beside that of flushes. */
    BESIDE_FLUSHES
  }

  private final StoreFileSystem files;
  private final Path directory;
  private final LongSupplier numbers;
  private final LongSupplier uniqueIds;
  private final int segmentBytes;
  private final LogAccess access;
  private final WalResources resources;
  private final FirstFailure failure;

  /** Held while segments are prepared, or discarded because their numbers are too small. */
  private final ReentrantLock preparing = new ReentrantLock();

  /** Guarded by preparing. */
  private long lastNumber;

  /** Bytes of all segments so far, including released ones. Guarded by preparing. */
  private long suppliedBytes;

  // All below guarded by this.

  private final Deque<WalSegment> retired = new ArrayDeque<>();

  /**
   * Those to be written next, in this order. All but the first count as kept for recycling, which
   * they would be otherwise.
   */
  private final Deque<WalSegment> spares = new ArrayDeque<>();

  /** Written under both locks. */
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

  /**
   * Deletes files that were being filled when a crash happened. They are in nobody's way, so it is
   * no failure of the log if another device cannot be read.
   */
  void deleteUnfinished() {
    try {
      for (String name : files.list(directory)) {
        if (isUnfinished(name)) {
          files.delete(directory.resolve(name));
        }
      }
    } catch (StoreIoException e) {
      LOG.warn("log segments that were not finished may stay for now: {}", e.getMessage());
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
   * Whether there is a segment to take, with room for a frame of that size, and encrypted with the
   * current key. Never waits.
   */
  synchronized boolean hasSpareFor(long frameBytes) {
    WalSegment next = spares.peek();
    return next != null
        && next.bytes() >= segmentBytesFor(frameBytes)
        && !files.keys().isOld(next.key());
  }

  /**
   * Waits until there is a segment to take with room for a frame of that size, and prepares it if
   * nobody does; nothing once this is closed. Another thread may take it before the caller does.
   *
   * @param space how much of the disk it may take
   * @throws StoreIoException as {@link #take}
   */
  void prepareFor(long frameBytes, Space space) {
    preparing.lock();
    try {
      if (!isClosed() && !hasSpareFor(frameBytes)) {
        discardSpares(); // their numbers would be smaller than that of the previous segment
        addSpare(prepare(neededBytes(frameBytes), space));
      }
    } finally {
      preparing.unlock();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void addSpare(WalSegment segment) {
    spares.add(segment);
  }

  /** Guarded by preparing. */
  private void discardSpares() {
    for (WalSegment next = pollSpare(); next != null; next = pollSpare()) {
      discard(next);
    }
  }

  private synchronized @Nullable WalSegment pollSpare() {
    WalSegment first = spares.poll();
    WalSegment next = spares.peek();
    if (next != null) {
      resources.kept().giveBack(this, next.bytes());
    }
    return first;
  }

  private synchronized @Nullable WalSegment pollSpareFor(long frameBytes) {
    return hasSpareFor(frameBytes) ? pollSpare() : null;
  }

  private int neededBytes(long frameBytes) {
    return Math.toIntExact(segmentBytesFor(frameBytes));
  }

  private long segmentBytesFor(long frameBytes) {
    return WalFormat.segmentBytesFor(frameBytes, files.keys().areUsed());
  }

  /**
   * Takes the segment to write next, with room for a frame of that size. Waits for nothing if
   * {@link #hasSpareFor there is one}.
   *
   * @throws StoreIoException when a new one cannot be created; a later call tries again
   * @throws io.sifr.error.StoreFailedException when it is unknown, and no later sync can show it,
   *     whether its name is durable
   */
  WalSegment take(long frameBytes) {
    WalSegment ready = pollSpareFor(frameBytes);
    return ready != null ? ready : takeNew(frameBytes, Space.BESIDE_FLUSHES);
  }

  /** Takes the first segment of a log, which is small. */
  WalSegment takeFirst() {
    return takeNew(0, Space.ALL);
  }

  private WalSegment takeNew(long frameBytes, Space space) {
    preparing.lock();
    try {
      WalSegment ready = pollSpareFor(frameBytes); // prepared meanwhile
      if (ready != null) {
        return ready;
      }
      discardSpares();
      return prepare(neededBytes(frameBytes), space);
    } finally {
      preparing.unlock();
    }
  }

  /**
   * Whether segments have reached their final size, so that the next one is prepared early. While
   * they still grow, the next one would be larger and take space that may never be needed.
   */
  boolean isFullSize(WalSegment segment) {
    return segment.bytes() >= segmentBytes;
  }

  /**
   * Reopens the last segment of an earlier writer, whose header and name are durable. It is not
   * mapped, however others are: what has read it since may have brought it into the page cache in
   * pieces of up to a megabyte, and through a mapping each commit would write such a piece.
   *
   * @param end where its records end
   */
  WalSegment reopen(long number, int end) {
    return reopen(number, end, LogAccess.WRITTEN);
  }

  /** As above, one to which nothing will be appended. */
  WalSegment reopenSealed(long number) {
    return reopen(number, WalFormat.FIRST_FRAME, access);
  }

  private WalSegment reopen(long number, int end, LogAccess how) {
    preparing.lock();
    try (WalSegmentReader reader = WalSegmentReader.open(files, directory, number)) {
      Path path = reader.path();
      int bytes = reader.size();
      FileHeader header = reader.header();
      WalSegment segment =
          WalSegment.reopened(
              path,
              header,
              bytes,
              open(path, bytes, how),
              header.cipher(path, files.keys()),
              new WalSegment.Past(end, !files.keys().isOld(header.key())));
      lastNumber = Math.max(lastNumber, number);
      suppliedBytes += bytes;
      return segment;
    } finally {
      preparing.unlock();
    }
  }

  /** Starts preparing the segments that follow this one in the background. */
  void prepareNext(WalSegment segment) {
    try {
      resources.executor().execute(() -> prepareAfter(segment));
    } catch (RuntimeException | OutOfMemoryError e) {
      // There is no thread: the writer will find no spare segment and create one itself.
    }
  }

  private void prepareAfter(WalSegment segment) {
    preparing.lock();
    try {
      prepareSpare(segment);
      while (isFullSize(segment) && prepareExtra()) {
        // the next one
      }
    } catch (SifrException e) {
      // The writer will find no spare segment, try again itself, and report the failure it gets.
    } finally {
      preparing.unlock();
    }
  }

  /**
   * Does nothing in a log that still grows when the writer was faster and has created the next
   * segment itself: the one after that is not needed yet, and would take its space too early.
   * Guarded by preparing.
   */
  private void prepareSpare(WalSegment preceding) {
    boolean isWanted = isFullSize(preceding) || lastNumber <= preceding.number();
    if (isWanted && mayPrepare() && !hasSpareFor(0)) {
      discardSpares(); // those of another key
      WalSegment prepared = prepare(0, Space.BESIDE_FLUSHES);
      warmUp(prepared);
      addSpare(prepared);
    }
  }

  private synchronized boolean mayPrepare() {
    return !closed && !failure.isNoted();
  }

  private void warmUp(WalSegment prepared) {
    try {
      prepared.warmUp();
    } catch (RuntimeException | Error e) {
      giveUp(prepared, e);
      throw e;
    }
  }

  /**
   * Prepares another spare segment besides the first, if there is one to recycle. Guarded by
   * preparing.
   *
   * @return whether it has
   */
  private boolean prepareExtra() {
    if (!wantsExtra() || room() < segmentBytes) {
      return false;
    }
    FileHeader header = nextHeader(); // throws after a failure of the store
    WalSegment old = pollForExtra();
    if (old == null) {
      return false;
    }
    try {
      WalSegment prepared = recycle(header, old);
      suppliedBytes += prepared.bytes();
      warmUp(prepared);
      addExtra(prepared);
    } catch (RuntimeException | Error e) {
      resources.kept().giveBack(this, old.bytes());
      throw e;
    }
    return true;
  }

  /** The writer may have taken the others meanwhile: then it is the first. */
  private synchronized void addExtra(WalSegment segment) {
    if (spares.isEmpty()) {
      resources.kept().giveBack(this, segment.bytes());
    }
    spares.add(segment);
  }

  private synchronized boolean wantsExtra() {
    return mayPrepare() && !spares.isEmpty() && spares.size() < MAX_SPARES && !retired.isEmpty();
  }

  /** A retired segment, which stays counted as kept. */
  private synchronized @Nullable WalSegment pollForExtra() {
    return wantsExtra() ? retired.poll() : null;
  }

  /** Accepts a segment that is no longer needed: keeps it for recycling or deletes it. */
  void retire(WalSegment segment) {
    if (!keeps(segment)) {
      discard(segment);
    }
  }

  /** Accepts the file of a segment that is no longer needed, and that nobody has open. */
  void retire(long number, int bytes) {
    Path path = files.placeOf(FileKind.WAL.path(directory, number));
    if (bytes == segmentBytes && mayPrepare()) {
      retire(
          new WalSegment(
              path, FileHeader.of(FileKind.WAL, number, 0), bytes, open(path, bytes), null));
    } else {
      files.delete(path);
    }
  }

  private synchronized boolean keeps(WalSegment segment) {
    boolean keeps =
        mayPrepare()
            && segment.bytes() == segmentBytes
            && !segment.isReopened()
            && retired.size() < MAX_RETIRED
            && resources.kept().take(this, segment.bytes());
    if (keeps) {
      retired.add(segment);
    }
    return keeps;
  }

  /** The next retired segment, which is not kept any more. */
  private synchronized @Nullable WalSegment pollRetired() {
    WalSegment segment = retired.poll();
    if (segment != null) {
      resources.kept().giveBack(this, segment.bytes());
    }
    return segment;
  }

  /** The last of several spare segments, which is not kept any more. */
  private synchronized @Nullable WalSegment pollExtra() {
    WalSegment last = spares.size() > 1 ? spares.pollLast() : null;
    if (last != null) {
      resources.kept().giveBack(this, last.bytes());
    }
    return last;
  }

  /** Deletes the segments it keeps, because other logs have more use for the space. */
  @Override
  public void deleteSoon() {
    try {
      resources.executor().execute(() -> deleteKept());
    } catch (RejectedExecutionException e) {
      // The store is being closed, which deletes them too.
    }
  }

  /**
   * Deletes the segments it keeps for recycling.
   *
   * @return how many bytes of the disk that has given back
   */
  long deleteKept() {
    return deleteAll(this::pollRetired) + deleteAll(this::pollExtra);
  }

  private long deleteAll(Supplier<@Nullable WalSegment> segments) {
    long bytes = 0;
    for (WalSegment next = segments.get(); next != null; next = segments.get()) {
      try {
        discard(next);
        bytes += next.bytes();
      } catch (SifrException e) {
        // Closing the store tries again, or the next opening.
      }
    }
    return bytes;
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

  /** Guarded by preparing. */
  private WalSegment prepare(int neededBytes, Space space) {
    int least = Math.max(neededBytes, Math.min(FIRST_SEGMENT_BYTES, segmentBytes));
    WalSegment next = space == Space.ALL ? create(nextHeader(), least) : prepare(least);
    suppliedBytes += next.bytes();
    return next;
  }

  /**
   * A segment that leaves room for the flush of what will be written to it: smaller than usual if
   * there is little.
   */
  private WalSegment prepare(int least) {
    long room = room();
    boolean mayRecycle = least <= segmentBytes && segmentBytes <= room;
    long most = room / 2;
    if (!mayRecycle && most < least) {
      throw WalResources.noRoom(directory);
    }
    FileHeader header = nextHeader(); // throws after a failure of the store: nothing is taken then
    WalSegment old = mayRecycle ? pollRetired() : null;
    if (old != null) {
      try {
        return recycle(header, old);
      } catch (StoreIoException e) {
        if (e instanceof StoreFullException && directory.equals(old.path().getParent())) {
          throw e;
        }
        header = nextHeader(); // its device is gone, or it cannot be renamed while it is open
      }
    }
    if (most < least) { // the store's directory, too, where it may have to be created
      throw WalResources.noRoom(directory);
    }
    long fitting = most - most % WalFormat.SEGMENT_ALIGNMENT;
    return create(header, (int) Math.max(least, Math.min(nextSegmentBytes(), fitting)));
  }

  /** Bytes of the disk that are left when all that is prepared is written and flushed. */
  private long room() {
    long room = resources.room().getAsLong();
    return room == Long.MAX_VALUE ? room : room - spareBytes();
  }

  private synchronized long spareBytes() {
    return spares.stream().mapToLong(WalSegment::bytes).sum();
  }

  private int nextSegmentBytes() {
    long grown = Math.max(Math.min(suppliedBytes, DOUBLING_BYTES), suppliedBytes / GROWTH_DIVISOR);
    long wanted = Math.min(Math.max(grown, FIRST_SEGMENT_BYTES), segmentBytes);
    return WalFormat.wholePages(wanted);
  }

  private WalSegment create(FileHeader header, int bytes) {
    Path place = files.placeForLog(directory, bytes);
    try {
      return create(place, header, bytes);
    } catch (StoreIoException e) {
      if (place.equals(directory)) {
        throw e;
      }
      return create(directory, nextHeader(), bytes);
    }
  }

  private WalSegment create(Path place, FileHeader header, int bytes) {
    Path path = FileKind.WAL.path(place, header.number());
    Path unfinished = place.resolve(path.getFileName() + UNFINISHED_SUFFIX);
    try {
      fill(unfinished, header, bytes);
      files.reached(LogCrashPoint.LOG_SEGMENT_FILLED);
      giveName(unfinished, path);
      files.reached(LogCrashPoint.LOG_SEGMENT_PREPARED);
      return new WalSegment(path, header, bytes, open(path, bytes), cipher(path, header));
    } catch (RuntimeException | Error e) {
      deleteAfter(e, unfinished);
      deleteAfter(e, path);
      throw e;
    }
  }

  /** Writes each page once, and by itself. */
  private void fill(Path file, FileHeader header, int bytes) {
    byte[] page = new byte[FILL_WRITE_BYTES];
    header.encodeTo(ByteBuffer.wrap(page), 0);
    try (AppendFile out = files.create(file)) {
      out.append(page, 0, page.length);
      Arrays.fill(page, 0, FileHeader.BYTES, (byte) 0);
      while (out.position() < bytes) {
        out.append(page, 0, page.length);
      }
      out.sync();
    }
  }

  private WalSegment recycle(FileHeader header, WalSegment old) {
    Path path = old.path().resolveSibling(path(header).getFileName());
    SegmentStorage storage = old.detach();
    try {
      ByteBuffer encoded = ByteBuffer.allocate(FileHeader.BYTES);
      header.encodeTo(encoded, 0);
      storeHeader(old.path(), storage, encoded.array());
      storage.sync(0, FileHeader.BYTES);
      files.reached(LogCrashPoint.LOG_SEGMENT_RENUMBERED);
      giveName(old.path(), path);
      files.reached(LogCrashPoint.LOG_SEGMENT_PREPARED);
      return new WalSegment(path, header, old.bytes(), storage, cipher(path, header));
    } catch (RuntimeException | Error e) {
      closeAfter(e, storage);
      deleteAfter(e, old.path());
      deleteAfter(e, path);
      throw e;
    }
  }

  private @Nullable FileCipher cipher(Path path, FileHeader header) {
    return header.cipher(path, files.keys());
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
    FileHeader header = FileHeader.of(files.keys(), FileKind.WAL, number, uniqueIds.getAsLong());
    if (exists(path(header))) { // a rename would replace it
      throw new IllegalStateException(
          "file number " + number + " is not new: there is " + path(header));
    }
    return header;
  }

  /** Whether there is a file that could be replaced: not on another device that is gone. */
  private boolean exists(Path path) {
    try {
      return files.exists(path);
    } catch (StoreIoException e) {
      return false;
    }
  }

  private Path path(FileHeader header) {
    return FileKind.WAL.path(directory, header.number());
  }

  private void giveName(Path current, Path path) {
    files.rename(current, path);
    try {
      files.syncDirectory(Objects.requireNonNull(path.getParent()));
    } catch (StoreFullException | FileNotOpenedException e) {
      throw e;
    } catch (StoreIoException e) {
      throw failure.poison(e); // the next sync would report success for names that are lost
    }
  }

  private SegmentStorage open(Path path, int bytes) {
    return open(path, bytes, access);
  }

  private SegmentStorage open(Path path, int bytes, LogAccess how) {
    return switch (how) {
      case MAPPED -> new SegmentStorage.Mapped(files.mapForWrite(path, bytes));
      case WRITTEN -> new SegmentStorage.Written(files.openForWrite(path, bytes));
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
  public void close() {
    end(segment -> segment.detach().close());
  }

  /** As {@link #close}, and deletes the files. */
  void discard() {
    end(this::discard);
  }

  private void end(Consumer<WalSegment> ofEach) {
    preparing.lock(); // a segment that is being prepared is added first
    try {
      Failures failures = new Failures();
      for (WalSegment segment : closeAndTakeAll()) {
        failures.collect(() -> ofEach.accept(segment));
      }
      failures.throwFirst();
    } finally {
      preparing.unlock();
    }
  }

  private synchronized List<WalSegment> closeAndTakeAll() {
    closed = true;
    List<WalSegment> left = new ArrayList<>();
    for (WalSegment next = pollSpare(); next != null; next = pollSpare()) {
      left.add(next);
    }
    for (WalSegment next = pollRetired(); next != null; next = pollRetired()) {
      left.add(next);
    }
    return left;
  }
}
