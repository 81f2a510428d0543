package io.sifr.internal.manifest;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A directory in memory that knows what is synced: {@link #crashed} is what a power loss leaves.
 * One changing call can be made to fail, before it did anything, half done, or done.
 */
class MemoryDisk implements StoreFileSystem {
  enum Failure {
    BEFORE,
    HALFWAY,
    AFTER
  }

  static final Path DIRECTORY = Path.of("store");

  private final Map<String, Content> names = new TreeMap<>();
  private final Map<String, Content> syncedNames = new TreeMap<>();
  private int changes;
  private int renames;
  private int openFiles;
  private int failAtChange = -1;
  private Failure failure = Failure.BEFORE;
  private boolean isFull;

  /** The bytes of a file, and those that are synced. The arrays are never changed. */
  private static final class Content {
    private byte[] bytes = {};
    private byte[] synced = {};

    void append(byte[] source, int offset, int length) {
      byte[] longer = Arrays.copyOf(bytes, bytes.length + length);
      System.arraycopy(source, offset, longer, bytes.length, length);
      bytes = longer;
    }

    void write(byte[] source, int offset, int length, long position) {
      byte[] changed = bytes.clone();
      System.arraycopy(source, offset, changed, (int) position, length);
      bytes = changed;
    }

    /**
     * The synced bytes and after them any number of the others, or zeros in their place; of what
     * was written over synced bytes, some words.
     */
    Content afterPowerLoss(Random random) {
      Content left = new Content();
      int size = synced.length + random.nextInt(bytes.length - synced.length + 1);
      byte[] kept = Arrays.copyOf(bytes, size);
      if (random.nextInt(4) == 0) {
        Arrays.fill(kept, synced.length, size, (byte) 0);
      }
      int keptOneIn = 1 + random.nextInt(3);
      for (int at = Math.max(0, Arrays.mismatch(bytes, synced)); at < synced.length; at++) {
        if (bytes[at] != synced[at] && random.nextInt(keptOneIn) > 0) {
          int word = at & -Long.BYTES;
          int length = Math.min(Long.BYTES, synced.length - word);
          System.arraycopy(synced, word, kept, word, length);
        }
      }
      left.bytes = kept;
      left.synced = kept;
      return left;
    }
  }

  /** The {@code n}-th changing call from now on, counted from 0, fails. */
  void failAt(int n, Failure how) {
    failAtChange = changes + n;
    failure = how;
  }

  /** As {@link #failAt}, for lack of space. */
  void failAtForLackOfSpace(int n, Failure how) {
    failAt(n, how);
    isFull = true;
  }

  /** Whether a file may get that large; does nothing, but others may throw. */
  void checkSpace(Path file, long bytes) {}

  /** Changing calls so far. */
  int changes() {
    return changes;
  }

  /** Renames so far, failed ones included. */
  int renames() {
    return renames;
  }

  /** Files that are open. */
  int openFiles() {
    return openFiles;
  }

  /** What a power loss leaves: synced bytes and names, and a random share of the others. */
  MemoryDisk crashed(Random random) {
    MemoryDisk left = new MemoryDisk();
    TreeSet<String> all = new TreeSet<>(names.keySet());
    all.addAll(syncedNames.keySet());
    Map<Content, Content> contents = new HashMap<>();
    for (String name : all) {
      Content content = (random.nextBoolean() ? names : syncedNames).get(name);
      if (content != null) {
        left.names.put(
            name, contents.computeIfAbsent(content, bytes -> bytes.afterPowerLoss(random)));
      }
    }
    left.syncedNames.putAll(left.names);
    return left;
  }

  /** The bytes of a file. */
  byte[] read(Path file) {
    return existing(file).bytes.clone();
  }

  /** Puts a file there, synced. */
  void write(Path file, byte[] bytes) {
    Content content = new Content();
    content.bytes = bytes.clone();
    content.synced = content.bytes;
    names.put(name(file), content);
    syncedNames.put(name(file), content);
  }

  private void change(Path file, String operation, Runnable half, Runnable rest) {
    boolean fails = changes++ == failAtChange;
    if (!fails || failure != Failure.BEFORE) {
      half.run();
    }
    if (!fails || failure == Failure.AFTER) {
      rest.run();
    }
    if (fails) {
      IOException cause = new IOException("made to fail");
      throw isFull
          ? new StoreFullException(file, operation, cause)
          : new StoreIoException(file, operation, cause);
    }
  }

  private void change(Path file, String operation, Runnable all) {
    change(file, operation, () -> {}, all);
  }

  private static String name(Path file) {
    if (!DIRECTORY.equals(file.getParent())) {
      throw new IllegalArgumentException(file + " does not lie in " + DIRECTORY);
    }
    return file.getFileName().toString();
  }

  private Content existing(Path file) {
    Content content = names.get(name(file));
    if (content == null) {
      throw new StoreIoException(file, "open", new IOException("no such file"));
    }
    return content;
  }

  @Override
  public void createDirectories(Path directory) {}

  @Override
  public List<String> list(Path directory) {
    return List.copyOf(names.keySet());
  }

  @Override
  public boolean isDirectory(Path path) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean exists(Path file) {
    return names.containsKey(name(file));
  }

  @Override
  public long size(Path file) {
    return existing(file).bytes.length;
  }

  @Override
  public AppendFile create(Path file) {
    Content content = new Content();
    change(
        file,
        "create",
        () -> {
          if (names.putIfAbsent(name(file), content) != null) {
            throw new StoreIoException(file, "create", new IOException("the file exists"));
          }
        });
    return new Appending(file, content);
  }

  private final class Appending implements AppendFile {
    private final Path file;
    private final Content content;
    private boolean open = true;

    Appending(Path file, Content content) {
      this.file = file;
      this.content = content;
      openFiles++;
    }

    @Override
    public void append(ByteBuffer source) {
      byte[] bytes = new byte[source.remaining()];
      source.get(bytes);
      append(bytes, 0, bytes.length);
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      checkSpace(file, position() + length);
      int half = length / 2;
      change(
          file,
          "append",
          () -> content.append(source, offset, half),
          () -> content.append(source, offset + half, length - half));
    }

    @Override
    public long position() {
      return content.bytes.length;
    }

    @Override
    public void sync() {
      change(file, "sync", () -> content.synced = content.bytes);
    }

    @Override
    public void close() {
      openFiles -= open ? 1 : 0;
      open = false;
    }
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    return openForRead(file);
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    byte[] bytes = existing(file).bytes;
    openFiles++;
    return new RandomReadFile() {
      private boolean open = true;

      @Override
      public long size() {
        return bytes.length;
      }

      @Override
      public void readFully(ByteBuffer target, long position) {
        target.put(bytes, (int) position, target.remaining());
      }

      @Override
      public void close() {
        openFiles -= open ? 1 : 0;
        open = false;
      }
    };
  }

  @Override
  public void rename(Path source, Path target) {
    Content content = existing(source);
    renames++;
    change(
        source,
        "rename",
        () -> {
          names.remove(name(source));
          names.put(name(target), content);
        });
  }

  @Override
  public boolean link(Path file, Path second) {
    return false;
  }

  @Override
  public void delete(Path file) {
    change(file, "delete", () -> names.remove(name(file)));
  }

  @Override
  public void syncDirectory(Path directory) {
    change(
        directory,
        "sync",
        () -> {
          syncedNames.clear();
          syncedNames.putAll(names);
        });
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    Content content = existing(file);
    if (content.bytes.length != size) {
      throw new IllegalArgumentException(file + " has " + content.bytes.length + " bytes");
    }
    openFiles++;
    return new RandomWriteFile() {
      private boolean open = true;

      @Override
      public void write(byte[] source, int offset, int length, long position) {
        int half = length / 2;
        change(
            file,
            "write",
            () -> content.write(source, offset, half, position),
            () -> content.write(source, offset + half, length - half, position + half));
      }

      @Override
      public void sync() {
        change(file, "sync", () -> content.synced = content.bytes);
      }

      @Override
      public void close() {
        openFiles -= open ? 1 : 0;
        open = false;
      }
    };
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path realPath(Path directory) {
    return directory;
  }

  @Override
  public long usableBytes(Path directory) {
    return Long.MAX_VALUE;
  }

  @Override
  public DirectoryLock lock(Path directory, String lockFileName) {
    throw new UnsupportedOperationException();
  }

  @Override
  public DirectoryLock lockForReading(Path directory, String lockFileName) {
    throw new UnsupportedOperationException();
  }
}
