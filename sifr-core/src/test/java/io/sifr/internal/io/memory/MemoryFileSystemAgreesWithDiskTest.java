package io.sifr.internal.io.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random calls, wrong ones among them, have the same results in memory and on a real disk. */
@Tag("disk")
@Tag("jvm")
class MemoryFileSystemAgreesWithDiskTest {
  private static final int SEEDS = 20;
  private static final int CALLS = 300;

  /** Up to so many bytes a file has mostly, and now and then some parts of it in memory. */
  private static final int SMALL = 6000;

  private static final int LARGE = 700_000;

  @TempDir Path parent;

  @Test
  void randomCallsHaveTheSameResults() {
    long first = new Random().nextLong();
    for (long seed = first; seed < first + SEEDS; seed++) {
      Path directory = parent.resolve("seed" + seed);
      List<String> real = new Run(new DiskFileSystem(), directory, seed).results();
      MemoryFileSystem memory = new MemoryFileSystem(new DiskFileSystem());
      List<String> inMemory = new Run(memory, memory.directory(), seed).results();
      assertThat(inMemory).as("seed %d", seed).isEqualTo(real);
    }
  }

  private static final class Run {
    private final StoreFileSystem files;
    private final Path directory;
    private final Random random;
    private final List<String> results = new ArrayList<>();
    private final List<AppendFile> appended = new ArrayList<>();
    private final List<DirectoryLock> locks = new ArrayList<>();

    Run(StoreFileSystem files, Path directory, long seed) {
      this.files = files;
      this.directory = directory;
      this.random = new Random(seed);
    }

    List<String> results() {
      files.createDirectories(directory);
      for (int i = 0; i < CALLS; i++) {
        oneCall();
      }
      appended.forEach(AppendFile::close);
      locks.forEach(DirectoryLock::close);
      note("list", () -> files.list(directory));
      return results;
    }

    private Path drawnFile() {
      return directory.resolve("f" + random.nextInt(5));
    }

    private int drawnSize() {
      return random.nextInt(random.nextInt(8) == 0 ? LARGE : SMALL);
    }

    private byte[] drawnBytes() {
      byte[] bytes = new byte[drawnSize()];
      random.nextBytes(bytes);
      return bytes;
    }

    private void oneCall() {
      Path file = drawnFile();
      Path other = directory.resolve(".").resolve(drawnFile().getFileName());
      long size = drawnSize();
      switch (random.nextInt(18)) {
        case 0, 1 -> note("create", () -> create(file));
        case 2, 3 -> note("append", this::append);
        case 4 -> note("exists", () -> files.exists(other));
        case 5 -> note("list", () -> files.list(directory.resolve(".")));
        case 6 -> note("read", () -> read(file, size));
        case 7 -> note("map", () -> map(file, size));
        case 8 -> note("map for write", () -> mapForWrite(file, size));
        case 9 -> note("write", () -> write(file, size));
        case 10 -> note("grow", () -> grow(file, size));
        case 11 -> note("rename", () -> rename(file, other));
        case 12 -> note("link", () -> files.link(file, other));
        case 13 -> note("delete", () -> delete(file));
        case 14 -> note("lock", () -> lock());
        case 15 -> note("unlock", () -> unlock());
        case 16 -> note("directory", () -> directory(file));
        default -> note("size", () -> files.size(file));
      }
    }

    private void note(String call, Supplier<?> result) {
      String met;
      try {
        met = String.valueOf(result.get());
      } catch (RuntimeException e) {
        met = e.getClass().getSimpleName();
      }
      results.add(call + ": " + met);
    }

    private long create(Path file) {
      byte[] bytes = drawnBytes();
      if (random.nextInt(4) == 0) {
        try (AppendFile out = files.createDirect(file)) {
          out.append(direct(bytes));
          out.sync();
          return out.position();
        }
      }
      AppendFile out = files.create(file);
      appended.add(out);
      out.append(bytes, 0, bytes.length);
      return out.position();
    }

    private long append() {
      byte[] bytes = drawnBytes();
      if (appended.isEmpty()) {
        return -1;
      }
      AppendFile out = appended.get(random.nextInt(appended.size()));
      ByteBuffer source = random.nextBoolean() ? ByteBuffer.wrap(bytes) : direct(bytes);
      boolean closes = random.nextInt(4) == 0;
      try {
        out.append(source);
        out.sync();
      } finally {
        if (closes) {
          out.close();
          out.close();
        }
      }
      assertThat(source.hasRemaining()).isFalse();
      return out.position();
    }

    private static ByteBuffer direct(byte[] bytes) {
      return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private int read(Path file, long position) {
      int wanted = drawnSize();
      boolean closesFirst = random.nextInt(20) == 0;
      RandomReadFile in = files.openForRead(file);
      try (in) {
        if (closesFirst) {
          in.close();
          in.readFully(ByteBuffer.allocate((int) Math.min(1, in.size())), 0);
        }
        ByteBuffer target = direct(new byte[wanted]);
        in.readFully(target, position - 10);
        return target.flip().hashCode() + (int) in.size();
      }
    }

    private int map(Path file, long size) {
      long wanted = random.nextBoolean() && files.exists(file) ? files.size(file) : size - 10;
      try (MappedRegion region = files.mapForRead(file, wanted)) {
        assertThat(region.buffer().isReadOnly()).isTrue();
        return region.buffer().hashCode();
      }
    }

    /** All names and mappings of a file have its content at once. */
    private int mapForWrite(Path file, long size) {
      int wanted = (int) size;
      Path second = directory.resolve("second");
      MappedRegion region = files.mapForWrite(file, wanted);
      try (region) {
        assertThat(region.buffer().capacity()).isEqualTo(wanted);
        if (wanted >= 8) {
          region.buffer().putLong(wanted - 8, random.nextLong());
          region.force(wanted - 8, 8);
          overwriteStart(file);
          assertThat(files.link(file, second)).isTrue();
          results.add("second name " + read(second, 10));
          files.delete(second);
        }
        return region.buffer().hashCode();
      } finally {
        region.close();
        note("closed", region::buffer);
      }
    }

    private void overwriteStart(Path file) {
      try (RandomWriteFile out = files.openForWrite(file, 8)) {
        out.write(new byte[] {1, 2, 3}, 1, 2, 3);
      }
    }

    private long write(Path file, long size) {
      byte[] bytes = drawnBytes();
      try (RandomWriteFile out = files.openForWrite(file, size)) {
        out.write(bytes, 0, bytes.length, random.nextInt(3000));
        out.sync();
      }
      return size;
    }

    private long grow(Path file, long position) {
      byte[] bytes = drawnBytes();
      try (RandomWriteFile out = files.openToGrow(file)) {
        out.write(bytes, 0, bytes.length, position - 10);
        out.write(bytes, 0, bytes.length, position - 10 + bytes.length);
      }
      return files.size(file);
    }

    private String rename(Path source, Path target) {
      if (random.nextBoolean()) {
        files.rename(source, target);
      } else {
        files.renameDurably(
            directory, String.valueOf(source.getFileName()), String.valueOf(target.getFileName()));
      }
      return "done";
    }

    private String delete(Path file) {
      files.delete(file);
      files.syncDirectory(directory);
      return "done";
    }

    private int lock() {
      Path spelled = directory.resolve("x").resolve("..");
      locks.add(
          random.nextBoolean()
              ? files.lock(spelled.normalize(), "LOCK")
              : files.lockForReading(directory.resolve("."), "LOCK"));
      return locks.size();
    }

    private int unlock() {
      if (!locks.isEmpty()) {
        locks.get(random.nextInt(locks.size())).close();
      }
      return locks.size();
    }

    private String directory(Path file) {
      files.createDirectories(directory.resolve("."));
      return directory.relativize(files.realPath(file))
          + (files.isDirectory(file) ? " directory" : " file")
          + (files.isDirectory(directory) ? " in directory" : "");
    }
  }
}
