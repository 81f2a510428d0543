package io.sifr.testing;

import static io.sifr.testing.FrozenFile.PAGE_BYTES;
import static io.sifr.testing.FrozenFile.ZEROS;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A file of a {@link CrashDisk}, whatever its name: what the kernel has of it, and what of that is
 * durable. Guarded by the disk's monitor; only what is stored into a mapping comes without it.
 */
final class CrashFile {
  private static final int FIRST_CAPACITY = PAGE_BYTES;

  /** Whole pages, never changed themselves. Shared with frozen files: changed by replacing it. */
  private List<byte[]> durable;

  private int durableSize;

  /** Whether {@link #durable} is to be copied before it is changed. */
  private boolean durableShared = true;

  /** Content, then zeros; null until somebody looks, and then it is what {@link #last} holds. */
  private byte @Nullable [] bytes;

  private int size;
  private FrozenFile last;

  /** Whether it may differ from {@link #last}; what is mapped may always. */
  private boolean changed;

  private int writeMappings;

  /** Things that are open on it, mappings included. */
  private int handles;

  /** How many names it has. */
  private int names;

  private CrashFile(FrozenFile from) {
    this.last = from;
    this.durable = from.durable();
    this.durableSize = from.durableSize();
    this.size = from.size();
  }

  /** A file that goes on from that state. */
  static CrashFile of(FrozenFile frozen) {
    return new CrashFile(frozen);
  }

  boolean isDirectory() {
    return last.isDirectory();
  }

  int size() {
    return size;
  }

  /** Takes a name away or gives one. */
  void setNamed(boolean named) {
    names += named ? 1 : -1;
  }

  boolean hasSeveralNames() {
    return names > 1;
  }

  void opened() {
    handles++;
  }

  void closed() {
    handles--;
  }

  /** Whether nothing can reach it any more, so that its space is free. */
  boolean isGone() {
    return names == 0 && handles == 0;
  }

  private byte[] bytes() {
    if (bytes == null) {
      bytes = last.content();
    }
    return bytes;
  }

  void append(byte[] source, int offset, int length) {
    write(source, offset, length, size);
  }

  /** Writes at a position; the file grows when it has to. */
  void write(byte[] source, int offset, int length, int position) {
    reserve(Math.addExact(position, length));
    System.arraycopy(source, offset, bytes(), position, length);
    size = Math.max(size, position + length);
    changed = true;
  }

  private void reserve(int wanted) {
    byte[] present = bytes();
    if (wanted <= present.length) {
      return;
    }
    // What is mapped to be read stays as it is there: files that grow are only appended to.
    if (writeMappings > 0) {
      throw new UnsupportedOperationException(
          "a mapped file grows, and its mappings cannot follow");
    }
    long doubled = Math.max(FIRST_CAPACITY, 2L * present.length);
    long capacity = Math.max(doubled, (long) FrozenFile.pages(wanted) * PAGE_BYTES);
    bytes = Arrays.copyOf(present, (int) Math.min(capacity, Integer.MAX_VALUE - PAGE_BYTES + 1));
  }

  void read(ByteBuffer target, int position) {
    target.put(bytes(), position, target.remaining());
  }

  /** Maps the first bytes; all mappings of a file share them with it. */
  ByteBuffer map(int length, boolean writable) {
    ByteBuffer mapped = ByteBuffer.wrap(bytes(), 0, length).slice();
    if (writable) {
      writeMappings++;
      return mapped;
    }
    return mapped.asReadOnlyBuffer();
  }

  /** What {@link #map} gave is not used any more. */
  void unmap(boolean writable) {
    if (writable) {
      writeMappings--;
      changed = true; // what was stored last
    }
  }

  /** Makes content and size durable. */
  void sync() {
    if (!mayBeDirty()) {
      return;
    }
    dirtyPages(0, size).forEach(this::makeDurable);
    durableSize = size;
    changed = true;
  }

  /** Makes the pages durable in which these bytes lie. */
  void sync(int from, int length) {
    if (length == 0) {
      return;
    }
    dirtyPages(from, length).forEach(this::makeDurable);
    durableSize = Math.max(durableSize, Math.min(size, pageEnd(from + length - 1)));
    changed = true;
  }

  /** Makes the first half of the dirty pages durable in which these bytes lie. */
  void syncHalf(int from, int length) {
    List<Integer> pages = dirtyPages(from, length);
    pages.subList(0, pages.size() / 2).forEach(this::writeBack);
  }

  /** Makes a page durable, or nothing when none is dirty: what the kernel does unasked. */
  void writeBackOne(Random random) {
    List<Integer> pages = dirtyPages(0, size);
    if (!pages.isEmpty()) {
      writeBack(pages.get(random.nextInt(pages.size())));
    }
  }

  private void writeBack(int page) {
    makeDurable(page);
    durableSize = Math.max(durableSize, Math.min(size, (page + 1) * PAGE_BYTES));
    changed = true;
  }

  private static int pageEnd(int lastByte) {
    return (lastByte / PAGE_BYTES + 1) * PAGE_BYTES;
  }

  private List<Integer> dirtyPages(int from, int length) {
    List<Integer> pages = new ArrayList<>();
    if (!mayBeDirty()) {
      return pages;
    }
    byte[] content = bytes();
    int end = FrozenFile.pages(Math.min(size, from + length));
    for (int page = from / PAGE_BYTES; page < end; page++) {
      if (!isDurable(content, page)) {
        pages.add(page);
      }
    }
    return pages;
  }

  /** Whether there can be something to make durable. */
  boolean mayBeDirty() {
    return changed || writeMappings > 0 || !last.isDurable();
  }

  private boolean isDurable(byte[] content, int page) {
    return holds(content, page, durablePage(page));
  }

  private static boolean holds(byte[] content, int page, byte[] expected) {
    int from = page * PAGE_BYTES;
    return Arrays.equals(content, from, from + PAGE_BYTES, expected, 0, PAGE_BYTES);
  }

  private byte[] durablePage(int page) {
    return page < durable.size() ? durable.get(page) : ZEROS;
  }

  private void makeDurable(int page) {
    if (durableShared) {
      durable = new ArrayList<>(durable);
      durableShared = false;
    }
    while (durable.size() <= page) {
      durable.add(ZEROS);
    }
    durable.set(page, copy(page));
  }

  private byte[] copy(int page) {
    byte[] content = bytes();
    if (holds(content, page, ZEROS)) {
      return ZEROS;
    }
    return Arrays.copyOfRange(content, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  }

  /** The file as it is now; the same object as long as it is the same. */
  FrozenFile freeze() {
    if (!changed && writeMappings == 0) {
      return last;
    }
    Map<Integer, byte[]> dirty = new HashMap<>();
    for (int page : dirtyPages(0, size)) {
      byte[] before = last.dirty().get(page);
      dirty.put(page, before != null && holds(bytes(), page, before) ? before : copy(page));
    }
    FrozenFile now = new FrozenFile(false, durable, durableSize, size, dirty);
    if (!now.equals(last)) {
      last = now;
      durableShared = true;
    }
    changed = false;
    return last;
  }
}
