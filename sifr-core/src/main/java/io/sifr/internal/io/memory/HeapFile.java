package io.sifr.internal.io.memory;

import io.sifr.error.StoreFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * The content of a file, in arrays on the heap, whatever its names are. It lives as long as a name
 * or somebody who has opened it.
 *
 * <p>It grows by parts, so that nothing is copied when a large file grows, and is brought into one
 * array when it is first mapped. Who maps it gets that array: what is stored through a mapping is
 * in the file at once, and what is written to the file is in the mappings. Mappings that are only
 * read do not follow a file that is overwritten after it has grown; no file of a store is.
 *
 * <p>Memory is allocated before anything is changed: when there is none, the file is as it was.
 *
 * <p>Thread-safe. Readers take no lock; they see what was written before they began.
 */
final class HeapFile {
  private static final int FIRST_BYTES = 4096;

  /** Size of all parts but the first. Larger ones are hard to place in a heap of small regions. */
  private static final int PART_BYTES = 256 << 10;

  /**
   * The content, and room at its end. The first part may have any size, the others have {@value
   * #PART_BYTES}. The outer array is replaced, never changed, with the monitor.
   */
  private volatile byte[][] parts = {new byte[0]};

  /** Written with the monitor, after the bytes. */
  private volatile long size;

  /** Mappings to be written, which keep the array that they have. Guarded by this. */
  private int writableMappings;

  long size() {
    return size;
  }

  /** Bytes of the heap that it takes. */
  long allocatedBytes() {
    return capacity(parts);
  }

  private static long capacity(byte[][] parts) {
    return parts[0].length + (parts.length - 1L) * PART_BYTES;
  }

  /**
   * Writes all bytes of a buffer; the file grows when it has to.
   *
   * @param path for messages
   * @param position at most the size
   * @throws StoreFullException when the heap has no room; nothing is written then
   */
  synchronized void write(Path path, ByteBuffer source, long position) {
    long end = position + source.remaining();
    reserve(path, end);
    byte[][] all = parts;
    for (long at = position; at < end; ) {
      int part = partOf(all, at);
      int offset = offsetIn(all, part, at);
      int length = (int) Math.min(end - at, all[part].length - offset);
      source.get(all[part], offset, length);
      at += length;
    }
    size = Math.max(size, end);
  }

  /**
   * Fills a buffer.
   *
   * @throws IndexOutOfBoundsException when what is wanted does not end within the size
   */
  void read(ByteBuffer target, long position) {
    // The size is read in any case, so that all that was written before is seen.
    long at = Objects.checkFromIndexSize(position, target.remaining(), size);
    byte[][] all = parts;
    while (target.hasRemaining()) {
      int part = partOf(all, at);
      int offset = offsetIn(all, part, at);
      int length = Math.min(target.remaining(), all[part].length - offset);
      target.put(all[part], offset, length);
      at += length;
    }
  }

  private static int partOf(byte[][] parts, long position) {
    long beyond = position - parts[0].length;
    return beyond < 0 ? 0 : 1 + (int) (beyond / PART_BYTES);
  }

  private static int offsetIn(byte[][] parts, int part, long position) {
    return (int) (part == 0 ? position : (position - parts[0].length) % PART_BYTES);
  }

  private void reserve(Path path, long end) {
    if (end > capacity(parts)) {
      try {
        parts = grown(parts, end);
      } catch (OutOfMemoryError e) {
        throw full(path, e); // here, where what was allocated of it is garbage
      }
    }
  }

  /** As long as a file is small its only part is replaced by one twice as large. */
  private byte[][] grown(byte[][] present, long end) {
    byte[][] all = present;
    int first = all[0].length;
    if (all.length == 1 && first < PART_BYTES && writableMappings == 0) {
      long doubled = Math.max(FIRST_BYTES, Math.max(2L * first, end));
      all = new byte[][] {Arrays.copyOf(all[0], (int) Math.min(doubled, PART_BYTES))};
    }
    long missing = Math.max(0, end - capacity(all));
    int more = Math.toIntExact((missing + PART_BYTES - 1) / PART_BYTES);
    byte[][] grown = Arrays.copyOf(all, all.length + more);
    for (int i = all.length; i < grown.length; i++) {
      grown[i] = new byte[PART_BYTES];
    }
    return grown;
  }

  private static StoreFullException full(Path path, OutOfMemoryError e) {
    return new StoreFullException(
        path, "write", new IOException("the heap is full: " + e.getMessage()));
  }

  /**
   * Its first bytes, to be read.
   *
   * @param bytes at most the size
   * @throws StoreFullException when the heap has no room to bring them into one array; nothing has
   *     changed then
   */
  synchronized ByteBuffer map(Path path, int bytes) {
    return ByteBuffer.wrap(inOneArray(path), 0, bytes).slice().asReadOnlyBuffer();
  }

  /** Its first bytes, to be read and written, until {@link #unmapWritable}. */
  synchronized ByteBuffer mapWritable(Path path, int bytes) {
    ByteBuffer mapped = ByteBuffer.wrap(inOneArray(path), 0, bytes).slice();
    writableMappings++;
    return mapped;
  }

  /** One that maps the file to be written has ended. */
  synchronized void unmapWritable() {
    writableMappings--;
  }

  private byte[] inOneArray(Path path) {
    byte[][] all = parts;
    if (all.length == 1) {
      return all[0];
    }
    if (writableMappings > 0 || size > Integer.MAX_VALUE) {
      throw new UnsupportedOperationException(
          path + " is too large for a buffer, or has grown since it was mapped to be written");
    }
    try {
      byte[] whole = new byte[(int) size];
      read(ByteBuffer.wrap(whole), 0);
      parts = new byte[][] {whole};
      return whole;
    } catch (OutOfMemoryError e) {
      throw full(path, e);
    }
  }
}
