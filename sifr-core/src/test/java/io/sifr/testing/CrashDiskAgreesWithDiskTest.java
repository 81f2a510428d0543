package io.sifr.testing;

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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random calls, wrong ones among them, have the same results on a crash disk and on a real one. */
@Tag("crash")
@Tag("disk")
@Tag("jvm")
class CrashDiskAgreesWithDiskTest {
  private static final int SEEDS = 20;
  private static final int CALLS = 150;

  @TempDir Path parent;

  @Test
  void randomCallsHaveTheSameResults() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Path directory = parent.resolve("seed-" + seed);
      List<String> real = new Run(new DiskFileSystem(), directory, seed).results();
      CrashDisk disk = CrashDisk.with(parent);
      List<String> crash = new Run(disk.fileSystem(), directory, seed).results();
      assertThat(crash).as("seed %d", seed).isEqualTo(real);
    }
  }

  private static final class Run {
    private final StoreFileSystem files;
    private final Path directory;
    private final Random random;
    private final List<String> results = new ArrayList<>();
    private final Map<Path, AppendFile> appended = new HashMap<>();
    private final List<DirectoryLock> locks = new ArrayList<>();

    Run(StoreFileSystem files, Path directory, long seed) {
      this.files = files;
      this.directory = directory;
      this.random = new Random(seed);
    }

    List<String> results() {
      note("list of nothing", () -> files.list(directory));
      note("create in nothing", () -> files.create(directory.resolve("f")));
      note("real path of nothing", () -> files.realPath(directory));
      files.createDirectories(directory);
      files.createDirectories(directory.resolve("d"));
      for (int i = 0; i < CALLS; i++) {
        oneCall();
      }
      appended.values().forEach(AppendFile::close);
      locks.forEach(DirectoryLock::close);
      note("list", () -> files.list(directory));
      return results;
    }

    private void oneCall() {
      Path file = directory.resolve(random.nextInt(20) == 0 ? "d" : "f" + random.nextInt(5));
      Path other = directory.resolve("f" + random.nextInt(5));
      long size = random.nextInt(6000);
      switch (random.nextInt(14)) {
        case 0, 1 -> note("create", () -> append(file));
        case 2 -> note("append", () -> appendAgain(file));
        case 3 -> note("exists", () -> files.exists(file));
        case 4 -> note("list", () -> files.list(directory));
        case 5 -> note("read", () -> read(file, size));
        case 6 -> note("map", () -> map(file, size));
        case 7 -> note("map for write", () -> mapForWrite(file, size));
        case 8 -> note("write", () -> write(file, size));
        case 9 -> note("rename", () -> rename(isDirectory(file) ? other : file, other));
        case 10 -> note("delete", () -> delete(other));
        case 11 -> note("lock", this::lock);
        case 12 -> note("unlock", this::unlock);
        default -> note("size", () -> isDirectory(file) ? "" : files.size(file));
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

    private byte[] drawn() {
      byte[] bytes = new byte[random.nextInt(5000)];
      random.nextBytes(bytes);
      return bytes;
    }

    private long append(Path file) {
      byte[] bytes = drawn();
      AppendFile out = files.create(file);
      AppendFile before = appended.put(file, out);
      if (before != null) {
        before.close();
      }
      out.append(bytes, 0, bytes.length);
      out.sync();
      return out.position();
    }

    private long appendAgain(Path file) {
      byte[] bytes = drawn();
      AppendFile out = appended.get(file);
      if (out == null) {
        return -1;
      }
      out.append(ByteBuffer.wrap(bytes));
      if (random.nextInt(4) == 0) {
        out.close();
      }
      return out.position();
    }

    private ByteBuffer read(Path file, long position) {
      if (isDirectory(file)) {
        return ByteBuffer.allocate(0); // the real one can be opened, and cannot be read
      }
      try (RandomReadFile in = files.openForRead(file)) {
        ByteBuffer target = ByteBuffer.allocate(random.nextInt(2000));
        in.readFully(target, position);
        results.add(Arrays.toString(target.array()));
        return target;
      }
    }

    private boolean isDirectory(Path file) {
      return file.endsWith("d");
    }

    private int map(Path file, long size) {
      if (isDirectory(file)) {
        return 0;
      }
      try (MappedRegion region = files.mapForRead(file, size - 10)) {
        return region.buffer().hashCode();
      }
    }

    private int mapForWrite(Path file, long size) {
      try (MappedRegion region = files.mapForWrite(file, size)) {
        if (size >= 8) {
          region.buffer().putLong((int) size - 8, random.nextLong());
          region.force((int) size - 8, 8);
        }
        return region.buffer().hashCode();
      }
    }

    private long write(Path file, long size) {
      byte[] bytes = drawn();
      try (RandomWriteFile out = files.openForWrite(file, size)) {
        out.write(bytes, 0, bytes.length, random.nextInt(3000));
        out.sync();
      }
      return size;
    }

    private String rename(Path source, Path target) {
      files.rename(source, target);
      AppendFile moved = appended.remove(source);
      AppendFile replaced = moved == null ? appended.remove(target) : appended.put(target, moved);
      if (replaced != null && replaced != moved) {
        replaced.close();
      }
      files.syncDirectory(directory);
      return "done";
    }

    private String delete(Path file) {
      files.delete(file);
      return "done";
    }

    private int lock() {
      locks.add(files.lock(directory.resolve(".").resolve("d").resolve(".."), "LOCK"));
      return locks.size();
    }

    private int unlock() {
      if (!locks.isEmpty()) {
        locks.get(random.nextInt(locks.size())).close();
      }
      return locks.size();
    }
  }
}
