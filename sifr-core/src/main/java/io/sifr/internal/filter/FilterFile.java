package io.sifr.internal.filter;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that holds all filters of a store (TPDS §4.1), so that opening the store reads them in
 * one pass. Each filter has an extent of whole pages; the pages are freed and used again.
 *
 * <p>Filters are derived data, so no failure here is a failure of the store. A filter that cannot
 * be written is missing from the file, and a file that cannot be read is created anew. The file is
 * synced only when the store is closed: an extent's checksums prove that it is intact, and the
 * SST's unique id in it proves which SST it belongs to. The header is written after the bits, so a
 * killed process leaves either a whole filter or none.
 *
 * <p>Thread-safe.
 */
final class FilterFile {
  private static final Logger LOG = LoggerFactory.getLogger(FilterFile.class);
  private static final int PAGE = FilterExtent.PAGE_BYTES;

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final LongSupplier numbers;
  private final LongSupplier uniqueIds;

  /** The file, once it exists. Written with this object's monitor held; read without it. */
  private volatile @Nullable FileHeader header;

  // All below guarded by this.

  private FreePages pages = new FreePages(1);
  private @Nullable RandomWriteFile out;
  private boolean failing;
  private boolean closed;

  FilterFile(
      StoreFileSystem fileSystem, Path directory, LongSupplier numbers, LongSupplier uniqueIds) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.numbers = numbers;
    this.uniqueIds = uniqueIds;
  }

  /** Numbers of the filter files, ascending: a crash while one was replaced may leave two. */
  private List<Long> present() {
    try {
      return FileKind.FILTERS.numbersIn(fileSystem, directory);
    } catch (SifrException e) {
      LOG.warn("filters are made anew: {}", e.getMessage());
      return List.of();
    }
  }

  /** Deletes all filter files: they would go stale, and nothing would clean up after a crash. */
  void deleteAll() {
    present().forEach(this::delete);
  }

  private void delete(long number) {
    Path file = FileKind.FILTERS.path(directory, number);
    try {
      fileSystem.delete(file);
    } catch (SifrException e) {
      LOG.warn("{} is not needed any more but cannot be deleted; the next open will try", file, e);
    }
  }

  /**
   * Reads the newest filter file, if there is one. Called once, before anything is written.
   *
   * @return false when the file turned out to be unusable: all that was visited is void
   */
  synchronized boolean load(FilterScan.Visitor visitor) {
    List<Long> present = present();
    if (present.isEmpty()) {
      return true;
    }
    int newest = present.size() - 1;
    present.subList(0, newest).forEach(this::delete);
    long number = present.get(newest);
    FilterScan.Result scanned;
    try {
      scanned = FilterScan.run(fileSystem, directory, number, visitor);
      pages = freeBut(scanned.used(), scanned.pages());
      header = scanned.header();
    } catch (SifrException | IllegalStateException e) {
      LOG.warn("the filter file is made anew: {}", e.getMessage());
      delete(number);
      return false;
    }
    for (CorruptionException damage : scanned.damaged()) {
      LOG.info("a filter is made anew: {}", damage.getMessage());
      wipe(damage.offset() / PAGE);
    }
    return true;
  }

  private static FreePages freeBut(List<FilterExtent> used, long filePages) {
    FreePages pages = new FreePages(filePages);
    long at = 1;
    for (FilterExtent extent : used) {
      if (extent.page() > at) {
        pages.free(at, (int) (extent.page() - at));
      }
      at = extent.page() + extent.pages();
    }
    if (filePages > at) {
      pages.free(at, (int) (filePages - at));
    }
    return pages;
  }

  /**
   * Overwrites the header in a page, which then no longer looks like a filter. A check can then
   * distinguish new damage from what a crash has left. A failure does no harm.
   */
  private void wipe(long page) {
    try {
      file().write(new byte[FilterExtent.HEADER_BYTES], 0, FilterExtent.HEADER_BYTES, page * PAGE);
    } catch (SifrException e) {
      LOG.warn("a damaged filter stays where it is: {}", e.getMessage());
    }
  }

  // Guarded by this.
  private RandomWriteFile file() {
    RandomWriteFile open = out;
    if (open == null) {
      FileHeader present = header;
      if (present == null) {
        present = create();
        header = present;
      }
      open = fileSystem.openToGrow(FileKind.FILTERS.path(directory, present.number()));
      out = open;
    }
    return open;
  }

  private FileHeader create() {
    FileHeader created =
        FileHeader.of(FileKind.FILTERS, numbers.getAsLong(), uniqueIds.getAsLong());
    byte[] first = new byte[PAGE];
    created.encodeTo(ByteBuffer.wrap(first), 0);
    try (AppendFile file = fileSystem.create(FileKind.FILTERS.path(directory, created.number()))) {
      file.append(first, 0, PAGE);
    } catch (SifrException e) {
      delete(created.number());
      throw e;
    }
    return created;
  }

  /**
   * Writes the filter of an SST. Returns its extent, or null when it cannot be written, which is
   * only logged as a warning.
   */
  synchronized @Nullable FilterExtent write(long sst, long sstId, BloomFilter filter) {
    if (closed) {
      return null;
    }
    int count = FilterExtent.pages(filter.bytes());
    int page = -1;
    try {
      RandomWriteFile target = file();
      page = pages.take(count);
      if (page < 0) {
        LOG.warn("the filter file is full; the filter of SST {} is not kept", sst);
        return null;
      }
      FilterExtent extent = write(target, page, count, sst, sstId, filter);
      failing = false;
      fileSystem.reached(FilterCrashPoint.FILTER_WRITTEN);
      return extent;
    } catch (SifrException e) {
      if (!failing) {
        failing = true; // warn once, until a write succeeds again
        LOG.warn("the filter of SST {} is in memory only: {}", sst, e.getMessage());
      }
      if (page >= 0) {
        wipe(page);
        pages.free(page, count);
      }
      return null;
    }
  }

  private FilterExtent write(
      RandomWriteFile target, int page, int count, long sst, long sstId, BloomFilter filter) {
    long fileId = Objects.requireNonNull(header).uniqueId();
    byte[] bytes = new byte[count * PAGE];
    filter.encodeTo(ByteBuffer.wrap(bytes).position(FilterExtent.HEADER_BYTES));
    FilterExtent extent = FilterExtent.of(page, sst, sstId, filter, bytes, fileId);
    target.write(bytes, 0, bytes.length, extent.offset());
    fileSystem.reached(FilterCrashPoint.FILTER_BITS_WRITTEN);
    byte[] head = extent.header(fileId);
    target.write(head, 0, head.length, extent.offset());
    return extent;
  }

  /**
   * Reads a filter.
   *
   * @throws SifrException when it cannot be read, or is damaged
   */
  BloomFilter read(FilterExtent extent) {
    FileHeader of = Objects.requireNonNull(header);
    Path path = FileKind.FILTERS.path(directory, of.number());
    byte[] bytes = new byte[extent.pages() * PAGE];
    // Opened for each read: the file grows, and readers must not wait for writers.
    try (RandomReadFile file = fileSystem.openForRead(path)) {
      file.readFully(ByteBuffer.wrap(bytes), extent.offset());
    }
    return extent.filter(path, ByteBuffer.wrap(bytes), of.uniqueId());
  }

  /** Frees the pages of a filter whose SST is deleted or about to be. */
  synchronized void free(FilterExtent extent) {
    pages.free(extent.page(), extent.pages());
  }

  /**
   * Closes the file.
   *
   * @param durable whether to sync it, so that the filters of a closed store survive a power
   *     failure. When the sync fails, the file is deleted.
   */
  synchronized void close(boolean durable) {
    if (closed) {
      return;
    }
    closed = true;
    FileHeader present = header;
    if (present == null) {
      return;
    }
    Failures failures = new Failures();
    if (durable) {
      failures.collect(() -> file().sync());
    }
    RandomWriteFile open = out;
    if (open != null) {
      failures.collect(open::close);
    }
    try {
      failures.throwFirst();
    } catch (SifrException e) {
      LOG.warn("the filter file is given up: {}", e.getMessage());
      delete(present.number());
    }
  }
}
