package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.FileNotOpenedException;
import io.sifr.event.Metric;
import io.sifr.testing.ChildJvm;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two stores of some three hundred SSTs each, in a process that may have 256 files open: gets,
 * cursors, writes and compactions. When the rest of the program takes all descriptors that there
 * are, stores that have some to give up go on with those; others say what is lacking, and go on
 * when it is there again.
 */
@Tag("process")
@DisabledOnOs(OS.WINDOWS)
class FewDescriptorsTest {
  private static final int DESCRIPTORS = 256;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "AUTO, MAPPED",
    "MMAP, WRITTEN",
    "POSITIONAL, MAPPED",
    "POSITIONAL, WRITTEN",
    "DIRECT, MAPPED"
  })
  @Timeout(300)
  void sufficeForTwoStoresOfHundredsOfFiles(ReadMode mode, LogAccess logAccess) {
    String[] arguments = {directory.toString(), mode.name(), logAccess.name()};
    List<String> lines = new ArrayList<>();
    try (ChildJvm child = ChildJvm.startLimited(DESCRIPTORS, Program.class, arguments)) {
      for (String line = child.nextLine(); line != null; line = child.nextLine()) {
        lines.add(line);
      }
    }
    System.out.println(mode + ", log " + logAccess + ": " + lines);
    assertThat(lines).last().isEqualTo("right");
  }

  /** What runs with few descriptors; prints "right", or the failure. */
  static final class Program {
    private static final int KEYS = 13_000;
    private static final int CURSORS = 40;
    private static final int GETS = 4000;
    private static final int LEAST_SSTS = 300;

    private final List<Store> stores = new ArrayList<>();
    private final boolean givesUp;
    private final int[] versions = new int[KEYS];
    private final Random random = new Random(1);

    private Program(Path directory, ReadMode mode, LogAccess logAccess) {
      givesUp = mode == ReadMode.POSITIONAL || mode == ReadMode.DIRECT;
      StoreOptions options =
          SmallStores.options()
              .splitUnitBytes(4096)
              .writeBufferBytes(64 << 10)
              .readMode(mode)
              .logAccess(logAccess)
              .blockCacheBytes(0)
              .build();
      stores.add(Store.open(directory.resolve("one"), options));
      stores.add(Store.open(directory.resolve("two"), options));
    }

    public static void main(String[] arguments) {
      try {
        Program program =
            new Program(
                Path.of(arguments[0]),
                ReadMode.valueOf(arguments[1]),
                LogAccess.valueOf(arguments[2]));
        program.run();
        System.out.println("right");
      } catch (RuntimeException | Error | IOException | ReflectiveOperationException e) {
        e.printStackTrace();
        System.out.println(e);
      } catch (URISyntaxException e) {
        throw new AssertionError(e);
      }
      System.exit(0);
    }

    private void run() throws IOException, ReflectiveOperationException, URISyntaxException {
      loadAllClasses();
      write(0, KEYS, 1);
      for (Store store : stores) {
        store.database().compact();
        long ssts = store.statistics().get(Metric.SSTS);
        if (ssts < LEAST_SSTS) {
          throw new AssertionError("only " + ssts + " SSTs");
        }
        System.out.println(ssts + " SSTs");
      }
      readAll();
      workBesideCursors(2);
      List<RandomAccessFile> others = takeAllDescriptors();
      System.out.println(others.size() + " other files");
      readAll();
      if (givesUp) {
        workBesideCursors(3);
        readAll();
      } else {
        seeWhatIsLacking();
      }
      for (RandomAccessFile other : others) {
        other.close();
      }
      stores.forEach(store -> Waiting.until("a flush has succeeded", () -> flushes(store)));
      workBesideCursors(4);
      readAll();
      stores.forEach(Store::close);
    }

    /** A class in a directory takes a descriptor to be loaded; those of a JAR do not. */
    private static void loadAllClasses()
        throws IOException, ReflectiveOperationException, URISyntaxException {
      Path root = Path.of(Store.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (!Files.isDirectory(root)) {
        return;
      }
      List<Path> files;
      try (Stream<Path> all = Files.walk(root)) {
        files = all.filter(file -> file.toString().endsWith(".class")).toList();
      }
      for (Path file : files) {
        String name = root.relativize(file).toString().replace(".class", "").replace('/', '.');
        if (name.startsWith("io.sifr.")) {
          Class<?> unused = Class.forName(name);
        }
      }
    }

    private static List<RandomAccessFile> takeAllDescriptors() {
      List<RandomAccessFile> taken = new ArrayList<>();
      try {
        while (taken.size() < DESCRIPTORS) {
          taken.add(new RandomAccessFile("/dev/null", "r"));
        }
        throw new AssertionError("there is no limit");
      } catch (IOException e) {
        return taken;
      }
    }

    private void seeWhatIsLacking() {
      for (Store store : stores) {
        try {
          store.database().put(key(0), value(0, versions[0]));
          store.flush();
          check(false, "flush without descriptors");
        } catch (FileNotOpenedException e) {
          System.out.println(e.getMessage());
        }
      }
    }

    private void write(int from, int to, int version) {
      for (int i = from; i < to; i++) {
        for (Store store : stores) {
          store.database().put(key(i), value(i, version));
        }
        versions[i] = version;
      }
    }

    private void workBesideCursors(int version) {
      List<Cursor> cursors = new ArrayList<>();
      List<Integer> next = new ArrayList<>();
      int[] seen = versions.clone();
      for (int i = 0; i < CURSORS; i++) {
        int from = random.nextInt(KEYS - 1000);
        cursors.add(stores.get(i % 2).database().cursor(KeyRange.atLeast(key(from))));
        next.add(from);
      }
      for (int round = 0; round < 5; round++) {
        int from = random.nextInt(KEYS - 2000);
        write(from, from + 2000, version);
        for (int i = 0; i < CURSORS; i++) {
          for (int step = 0; step < 100; step++) {
            check(cursors.get(i).next(), "end");
            int expected = next.get(i);
            check(Arrays.equals(cursors.get(i).key(), key(expected)), "key");
            check(Arrays.equals(cursors.get(i).value(), value(expected, seen[expected])), "value");
            next.set(i, expected + 1);
          }
        }
        for (Store store : stores) {
          store.flush();
          if (round == 2) {
            store.database().compact();
          }
        }
      }
      cursors.forEach(Cursor::close);
      stores.forEach(Store::awaitIdle);
    }

    private void readAll() {
      for (Store store : stores) {
        Database database = store.database();
        for (int i = 0; i < GETS; i++) {
          int number = random.nextInt(KEYS);
          byte[] expected = value(number, versions[number]);
          check(Arrays.equals(database.get(key(number)), expected), "value of a get");
        }
      }
    }

    private static boolean flushes(Store store) {
      try {
        store.flush();
        return true;
      } catch (FileNotOpenedException e) {
        return false; // of the last attempt, after which there is a pause
      }
    }

    private static void check(boolean isRight, String what) {
      if (!isRight) {
        throw new AssertionError("wrong: " + what);
      }
    }
  }
}
