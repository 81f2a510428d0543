package io.sifr.internal.wal;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.testing.ForwardingFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Knows what of each file and of the directory was synced, and draws what a power failure may
 * leave: each page as it was synced, as it is now, or torn between the two at a multiple of eight
 * bytes; names as they were synced, or as they are now. For one directory and one thread.
 */
final class LossyFileSystem extends ForwardingFileSystem {
  private static final int PAGE_BYTES = 4096;

  /** A file, whatever its name. */
  private static final class Inode {
    byte[] durable = {};
    byte[] atDeletion = {};
  }

  private final Map<Path, Inode> names = new HashMap<>();
  private Map<Path, Inode> durableNames = new HashMap<>();
  private Runnable afterEachStep = () -> {};

  LossyFileSystem() {
    super(new DiskFileSystem());
  }

  /** What to do whenever the disk could have failed in a new state. */
  void afterEachStep(Runnable action) {
    afterEachStep = action;
  }

  private Inode inode(Path file) {
    return names.computeIfAbsent(file, f -> new Inode());
  }

  private static byte[] contentOf(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public AppendFile create(Path file) {
    AppendFile created = super.create(file);
    names.put(file, new Inode());
    afterEachStep.run();
    return new ForwardingAppendFile(created) {
      @Override
      public void sync() {
        inode(file).durable = contentOf(file);
        afterEachStep.run();
      }
    };
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    Inode inode = inode(file);
    return new ForwardingMappedRegion(super.mapForWrite(file, size)) {
      @Override
      public void force(int from, int length) {
        int first = from / PAGE_BYTES * PAGE_BYTES;
        int end = Math.min((from + length + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, (int) size);
        ByteBuffer content = buffer();
        content.get(first, inode.durable, first, end - first);
        afterEachStep.run();
      }
    };
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    Inode inode = inode(file);
    return new ForwardingRandomWriteFile(super.openForWrite(file, size)) {
      @Override
      public void sync() {
        inode.durable =
            names.entrySet().stream()
                .filter(entry -> entry.getValue() == inode)
                .map(entry -> contentOf(entry.getKey()))
                .findAny()
                .orElseThrow();
        afterEachStep.run();
      }
    };
  }

  @Override
  public void rename(Path source, Path target) {
    super.rename(source, target);
    Inode inode = inode(source);
    names.remove(source);
    names.put(target, inode);
    afterEachStep.run();
  }

  @Override
  public void delete(Path file) {
    if (exists(file)) {
      inode(file).atDeletion = contentOf(file);
      super.delete(file);
      names.remove(file);
      afterEachStep.run();
    }
  }

  @Override
  public void syncDirectory(Path directory) {
    durableNames = new HashMap<>(names);
    afterEachStep.run();
  }

  /** Draws a state after a power failure into an empty directory. */
  void crashInto(Path target, Random random) {
    Map<Path, Inode> kept = random.nextBoolean() ? names : durableNames;
    kept.forEach(
        (file, inode) -> {
          try {
            byte[] image = draw(inode.durable, contentNow(inode), random);
            Files.write(target.resolve(file.getFileName()), image);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private byte[] contentNow(Inode inode) {
    for (Map.Entry<Path, Inode> name : names.entrySet()) {
      if (name.getValue() == inode) {
        return contentOf(name.getKey());
      }
    }
    return inode.atDeletion;
  }

  private static byte[] draw(byte[] durable, byte[] now, Random random) {
    byte[] image = Arrays.copyOf(durable, random.nextBoolean() ? durable.length : now.length);
    for (int page = 0; page < Math.min(image.length, now.length); page += PAGE_BYTES) {
      int end = Math.min(page + PAGE_BYTES, Math.min(image.length, now.length));
      switch (random.nextInt(4)) {
        case 0 -> System.arraycopy(now, page, image, page, end - page);
        case 1 -> copyTorn(now, image, page, end, random);
        default -> {} // as it was synced
      }
    }
    return image;
  }

  private static void copyTorn(byte[] now, byte[] image, int page, int end, Random random) {
    int cut = page + random.nextInt((end - page) / 8 + 1) * 8;
    if (random.nextBoolean()) {
      System.arraycopy(now, page, image, page, cut - page);
    } else {
      System.arraycopy(now, cut, image, cut, end - cut);
    }
  }
}
