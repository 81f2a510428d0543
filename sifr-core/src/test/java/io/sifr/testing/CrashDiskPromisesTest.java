package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random work on a disk that writes back now and then, beside a simple account of what it may have
 * become: after a crash each word of a file is one it has been since it was last synced, each size
 * one between, and the names are those of some of the changes since the directory was synced.
 */
@Tag("crash")
class CrashDiskPromisesTest {
  private static final int SEEDS = 60;
  private static final int STEPS = 60;
  private static final int PAGE = 4096;
  private static final Path DIRECTORY = Path.of("/store");

  @Test
  void wordsAreThoseSinceTheLastSync() {
    for (long seed = 0; seed < SEEDS; seed++) {
      new Words(seed).run();
    }
  }

  /** A file of a fixed size that is overwritten. */
  private static final class Words {
    private static final int PAGES = 4;
    private static final int WORDS = PAGES * PAGE / 8;
    private static final Path FILE = DIRECTORY.resolve("words");

    private final long seed;
    private final Random random;
    private CrashDisk disk = CrashDisk.with(DIRECTORY);
    private final List<Set<Long>> possible = new ArrayList<>();
    private final long[] now = new long[WORDS];
    private long next = 1;

    Words(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    void run() {
      try (AppendFile out = disk.fileSystem().create(FILE)) {
        out.append(new byte[WORDS * 8], 0, WORDS * 8);
      }
      disk.syncAll();
      for (int i = 0; i < WORDS; i++) {
        possible.add(new HashSet<>(Set.of(0L)));
      }
      for (int life = 0; life < 3; life++) {
        disk.writeBackAtRandom(random, 1 + random.nextInt(10));
        live();
        disk = random.nextInt(4) == 0 ? killed() : crashed();
        goOnFrom(content(disk));
      }
    }

    private void live() {
      StoreFileSystem files = disk.fileSystem();
      try (MappedRegion region = files.mapForWrite(FILE, WORDS * 8);
          RandomWriteFile out = files.openForWrite(FILE, WORDS * 8)) {
        for (int step = 0; step < STEPS; step++) {
          switch (random.nextInt(12)) {
            case 0 -> {
              out.sync();
              promise(0, WORDS);
            }
            case 1, 2 -> {
              int from = random.nextInt(WORDS * 8);
              int length = random.nextInt(WORDS * 8 - from);
              region.force(from, length);
              if (length > 0) {
                promise(from / PAGE * (PAGE / 8), ((from + length - 1) / PAGE + 1) * (PAGE / 8));
              }
            }
            case 3, 4 -> overwrite(out);
            case 5 -> crashed();
            default -> {
              int word = random.nextInt(WORDS);
              set(word, next++);
              region.buffer().putLong(word * 8, now[word]);
            }
          }
        }
      }
    }

    private void overwrite(RandomWriteFile out) {
      int from = random.nextInt(WORDS);
      int count = random.nextInt(Math.min(WORDS - from, 1000));
      ByteBuffer bytes = ByteBuffer.allocate(count * 8);
      for (int word = from; word < from + count; word++) {
        set(word, next++);
        bytes.putLong(now[word]);
      }
      out.write(bytes.array(), 0, count * 8, from * 8L);
    }

    private void set(int word, long value) {
      now[word] = value;
      possible.get(word).add(value);
    }

    private void promise(int from, int to) {
      for (int word = from; word < to; word++) {
        possible.set(word, new HashSet<>(Set.of(now[word])));
      }
    }

    /** After a kill the account stays as it is: nothing has become more durable. */
    private void goOnFrom(long[] left) {
      boolean killed = Arrays.equals(left, now);
      for (int word = 0; word < WORDS && !killed; word++) {
        now[word] = left[word];
        possible.set(word, new HashSet<>(Set.of(left[word])));
      }
    }

    private CrashDisk killed() {
      CrashDisk killed = disk.kill();
      long[] left = content(killed);
      assertThat(left).as("seed %d", seed).isEqualTo(now);
      return killed;
    }

    private CrashDisk crashed() {
      CrashDisk image = disk.crash(random);
      long[] left = content(image);
      for (int word = 0; word < WORDS; word++) {
        assertThat(possible.get(word)).as("seed %d, word %d", seed, word).contains(left[word]);
      }
      return image;
    }

    private long[] content(CrashDisk image) {
      ByteBuffer bytes = ByteBuffer.allocate(WORDS * 8);
      try (RandomReadFile in = image.fileSystem().openForRead(FILE)) {
        assertThat(in.size()).isEqualTo(WORDS * 8);
        in.readFully(bytes, 0);
      }
      long[] words = new long[WORDS];
      bytes.flip().asLongBuffer().get(words);
      return words;
    }
  }

  @Test
  void appendedBytesAreThoseSinceTheLastSync() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      CrashDisk disk = CrashDisk.with(DIRECTORY);
      disk.writeBackAtRandom(random, 1 + random.nextInt(20));
      Path file = DIRECTORY.resolve("appended");
      int synced = 0;
      try (AppendFile out = disk.fileSystem().create(file)) {
        disk.fileSystem().syncDirectory(DIRECTORY);
        for (int step = 0; step < STEPS; step++) {
          byte[] bytes = new byte[random.nextInt(3000)];
          for (int i = 0; i < bytes.length; i++) {
            bytes[i] = byteAt(out.position() + i);
          }
          out.append(bytes, 0, bytes.length);
          if (random.nextInt(6) == 0) {
            out.sync();
            synced = (int) out.position();
          }
          checkAppended(disk.crash(random), file, synced, (int) out.position(), seed);
        }
      }
    }
  }

  private static byte byteAt(long position) {
    return (byte) (1 + position % 101);
  }

  private static void checkAppended(CrashDisk image, Path file, int synced, int size, long seed) {
    try (RandomReadFile in = image.fileSystem().openForRead(file)) {
      assertThat(in.size()).as("seed %d", seed).isBetween((long) synced, (long) size);
      byte[] content = new byte[(int) in.size()];
      in.readFully(ByteBuffer.wrap(content), 0);
      for (int i = 0; i < content.length; i++) {
        if (content[i] != byteAt(i) && (i < synced || content[i] != 0)) {
          throw new AssertionError("seed " + seed + ", byte " + i + " is " + content[i]);
        }
      }
    }
  }

  @Test
  void namesAreThoseOfSomeOfTheChangesSinceTheLastSync() {
    for (long seed = 0; seed < 4 * SEEDS; seed++) {
      new Names(seed).run();
    }
  }

  /** A directory of files that are told apart by their sizes. */
  private static final class Names {
    private static final int MOST_CHANGES = 7;

    private final long seed;
    private final Random random;
    private final CrashDisk disk = CrashDisk.with(DIRECTORY);
    private final List<UnaryOperator<Map<String, Long>>> pending = new ArrayList<>();
    private Map<String, Long> durable = new TreeMap<>();
    private final Map<String, Long> now = new TreeMap<>();
    private int nextSize = 1;

    Names(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    void run() {
      StoreFileSystem files = disk.fileSystem();
      for (int step = 0; step < STEPS; step++) {
        String name = "f" + random.nextInt(4);
        String target = "f" + random.nextInt(4);
        if (pending.size() == MOST_CHANGES || random.nextInt(8) == 0) {
          files.syncDirectory(DIRECTORY);
          durable = new TreeMap<>(now);
          pending.clear();
        } else if (!now.containsKey(name)) {
          create(files, name);
        } else if (random.nextBoolean()) {
          files.delete(DIRECTORY.resolve(name));
          change(names -> without(names, name));
        } else if (!name.equals(target)) {
          files.rename(DIRECTORY.resolve(name), DIRECTORY.resolve(target));
          Long size = now.get(name);
          change(names -> with(without(names, name), target, size));
        }
        check(files(disk), Set.of(now));
        check(files(disk.crash(random)), possible());
      }
    }

    private void create(StoreFileSystem files, String name) {
      int size = nextSize++;
      try (AppendFile out = files.create(DIRECTORY.resolve(name))) {
        out.append(new byte[size], 0, size);
        out.sync();
      }
      change(names -> with(names, name, (long) size));
    }

    private void change(UnaryOperator<Map<String, Long>> change) {
      pending.add(change);
      Map<String, Long> changed = change.apply(now);
      now.clear();
      now.putAll(changed);
    }

    private static Map<String, Long> without(Map<String, Long> names, String name) {
      Map<String, Long> changed = new TreeMap<>(names);
      changed.remove(name);
      return changed;
    }

    /** A file has one name. */
    private static Map<String, Long> with(Map<String, Long> names, String name, Long size) {
      Map<String, Long> changed = new TreeMap<>(names);
      changed.values().remove(size);
      changed.put(name, size);
      return changed;
    }

    private Set<Map<String, Long>> possible() {
      Set<Map<String, Long>> all = new HashSet<>();
      for (int subset = 0; subset < 1 << pending.size(); subset++) {
        Map<String, Long> names = durable;
        for (int i = 0; i < pending.size(); i++) {
          if ((subset >> i & 1) == 1) {
            names = pending.get(i).apply(names);
          }
        }
        all.add(names);
      }
      return all;
    }

    private void check(Map<String, Long> left, Set<Map<String, Long>> allowed) {
      assertThat(allowed).as("seed %d", seed).contains(left);
    }

    private static Map<String, Long> files(CrashDisk disk) {
      Map<String, Long> sizes = new TreeMap<>();
      for (String name : new TreeSet<>(disk.fileSystem().list(DIRECTORY))) {
        sizes.put(name, disk.fileSystem().size(DIRECTORY.resolve(name)));
      }
      return sizes;
    }
  }
}
