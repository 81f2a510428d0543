package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BufferView;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.UnreadableException;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A mapped file is truncated under an open store: what lies after its new end cannot be delivered,
 * as with a bad sector. In a JVM of its own, since such a page may end it.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
@Tag("process")
@Tag("jvm")
class UnreadablePageIsNamedTest {
  private static final int KEYS = 2000;

  /** So that a long value has a block of many pages to itself. */
  private static final int LONG = 100_000;

  private static final int PAGE = 4096;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sst-before-first-look",
        "sst-after-first-look",
        "sst-cursor",
        "sst-long",
        "row",
        "log"
      })
  void byAnExceptionAndTheProcessGoesOn(String scenario) {
    List<String> lines = new ArrayList<>();
    List<String> jvm = List.of("-Xmx256m");
    Path store = directory.resolve("store");
    try (ChildJvm child = ChildJvm.start(jvm, Child.class, store.toString(), scenario)) {
      for (String line = child.nextLine(); line != null; line = child.nextLine()) {
        lines.add(line);
      }
      assertThat(lines).as(scenario).endsWith("done");
    }
  }

  /** The process that must not die. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      try {
        if (arguments[1].equals("log")) {
          log(directory);
        } else if (arguments[1].equals("row")) {
          row(directory);
        } else {
          sst(directory, arguments[1]);
        }
        System.out.println("done");
      } catch (AssertionError | RuntimeException e) {
        e.printStackTrace(System.out);
        System.exit(1);
      }
    }

    private static StoreOptions.Builder options() {
      return StoreOptions.builder()
          .readMode(ReadMode.MMAP)
          .logAccess(LogAccess.MAPPED)
          .compaction(CompactionPolicy.splitForest(64))
          .logSegmentBytes(64 << 10);
    }

    private static byte[] longValue() {
      byte[] bytes = new byte[LONG];
      new Random(1).nextBytes(bytes);
      return bytes;
    }

    private static void truncate(Path file, long bytes) throws IOException {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(bytes);
      }
    }

    private static void sst(Path directory, String scenario) throws IOException {
      try (Store store = Store.open(directory, options().build())) {
        Database database = store.database();
        Database other = store.openOrCreateDatabase("other");
        SmallStores.fill(other, 0, KEYS, 1);
        store.flush();
        SmallStores.fill(database, 0, KEYS, 1);
        database.put(key(KEYS), longValue());
        store.flush();
        List<Path> files = SmallStores.files(directory, ".sst");
        Path file = files.get(files.size() - 1);
        long size = Files.size(file);
        boolean seen = !scenario.equals("sst-before-first-look");
        for (int round = 0; seen && round < 10; round++) {
          readAll(database, file, -1);
        }
        // Even where no block was seen before, the index was: it is read in parts, by need.
        require(database.get(key(0)) != null, "key 0 is not read");
        if (scenario.equals("sst-long")) {
          // The value's block begins, and its first page stays.
          long at = size - LONG / 2;
          truncate(file, at / PAGE * PAGE);
          byte[] key = key(KEYS);
          requireUnreadable(file, () -> database.get(key));
          BufferView<ByteBuf> buffers = database.byteBufs();
          ByteBuf buffer = Unpooled.wrappedBuffer(key);
          requireUnreadable(file, () -> buffers.read(buffer, value -> value.readByte()));
          ByteBuf onHeap = Unpooled.buffer();
          requireUnreadable(file, () -> buffers.get(buffer, onHeap) >= 0);
          ByteBuf direct = Unpooled.directBuffer();
          requireUnreadable(file, () -> buffers.get(buffer, direct) >= 0);
          direct.release();
          try (Cursor cursor = database.cursor(KeyRange.atLeast(key))) {
            requireUnreadable(file, () -> cursor.next() && cursor.value().length > 0);
          }
          require(database.get(key(0)) != null, "key 0 is not read");
          return;
        }
        if (scenario.equals("sst-cursor")) {
          try (Cursor cursor = database.cursor()) {
            for (int i = 0; i < 10; i++) {
              require(cursor.next(), "cursor ends");
            }
            truncate(file, 0);
            requireUnreadable(
                file,
                () -> {
                  int next = 10;
                  while (cursor.next()) {
                    require(Arrays.equals(cursor.key(), key(next)), "a wrong key");
                    require(Arrays.equals(cursor.value(), value(next, 1)), "a wrong value");
                    next++;
                  }
                  return true;
                });
          }
        } else {
          long left = size / 4 / PAGE * PAGE;
          truncate(file, left);
          for (int round = 0; round < 10; round++) {
            int failures = readAll(database, file, left);
            require(failures > KEYS / 4, "only " + failures + " keys could not be read");
            require(failures < KEYS, "no key could be read");
          }
          truncate(file, 0);
          int failures = readAll(database, file, 0);
          require(failures > KEYS - 100, failures + " failures");
        }
        requireUnreadable(
            file,
            () -> {
              SmallStores.fill(database, 0, KEYS, 2);
              database.compact();
              return true;
            });
        SmallStores.fill(database, 0, KEYS, 3);
        store.flush();
        for (int i = 0; i < KEYS; i++) {
          require(Arrays.equals(database.get(key(i)), value(i, 3)), "key " + i + " is wrong");
          require(Arrays.equals(other.get(key(i)), value(i, 1)), "key " + i + " is wrong");
        }
        other.compact();
      }
    }

    /** Reads all keys, each as it was or with the exception. Returns how many could not be read. */
    private static int readAll(Database database, Path file, long left) {
      int failures = 0;
      byte[] longValue = longValue();
      for (int i = 0; i <= KEYS; i++) {
        byte[] expected = i == KEYS ? longValue : value(i, 1);
        try {
          require(Arrays.equals(database.get(key(i)), expected), "key " + i + " is wrong");
        } catch (UnreadableException e) {
          requireNames(e, file);
          require(e.offset() >= 0 && left >= 0, "an exception although nothing was truncated");
          failures++;
        }
      }
      return failures;
    }

    /** Where it lies, so that it is known which device is to be seen to. */
    private static void row(Path directory) throws IOException {
      Path fast = directory.resolveSibling("fast");
      StoreOptions options = options().fastDirectory(fast).build();
      try (Store store = SmallStores.open(directory, options)) {
        Database database = store.database();
        SmallStores.fill(database, 0, KEYS, 1);
        store.flush();
        for (int i = 0; i < KEYS; i++) {
          require(Arrays.equals(database.get(key(i)), value(i, 1)), "key " + i + " is wrong");
        }
        Path file = SmallStores.files(fast.toRealPath(), ".sst").get(0);
        truncate(file, 0);
        for (int i = 0; i < KEYS; i += 50) {
          byte[] key = key(i);
          try {
            throw new AssertionError("no exception but " + Arrays.toString(database.get(key)));
          } catch (UnreadableException e) {
            require(e.file().equals(file), "another file: " + e);
          }
        }
      }
    }

    private static void log(Path directory) throws IOException {
      Store store = Store.open(directory, options().build());
      Database database = store.database();
      SmallStores.fill(database, 0, 20, 1);
      List<Path> segments = SmallStores.files(directory, ".wal");
      for (Path segment : segments) {
        truncate(segment, PAGE);
      }
      int written = 20;
      try {
        while (written < KEYS) {
          database.put(key(written), value(written, 1), WriteOptions.BUFFERED);
          written++;
        }
        throw new AssertionError("nothing was noticed");
      } catch (StoreFailedException e) {
        require(
            segments.stream().anyMatch(s -> e.toString().contains(s.getFileName().toString())),
            "no file is named: " + e.getMessage());
        require(e.toString().contains("offset"), "no offset is named: " + e.getMessage());
      }
      require(written < 20 + 100, "noticed after " + written + " entries");
      for (int i = 0; i < written; i++) {
        require(Arrays.equals(database.get(key(i)), value(i, 1)), "key " + i + " is wrong");
      }
      try {
        store.close();
      } catch (SifrException e) {
        // It tells that it has failed.
      }
      try (Store again = Store.open(directory, options().build())) {
        require(again.databaseNames().size() == 1, "not opened");
      } catch (SifrException e) {
        require(e.toString().contains(".wal"), "no file is named: " + e.getMessage());
      }
    }

    private static void requireUnreadable(Path file, Supplier<Object> read) {
      try {
        Object result = read.get();
        throw new AssertionError("no exception but " + result);
      } catch (UnreadableException e) {
        requireNames(e, file);
      }
    }

    private static void requireNames(UnreadableException e, Path file) {
      require(e.file().getFileName().equals(file.getFileName()), "another file: " + e);
      require(String.valueOf(e.getMessage()).contains(" at offset " + e.offset()), "no offset");
    }

    private static void require(boolean holds, String otherwise) {
      if (!holds) {
        throw new AssertionError(otherwise);
      }
    }
  }
}
