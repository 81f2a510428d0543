package io.sifr.inspect.check;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Compression;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.SearchLength;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of an open store are damaged, while it is read, written, compacted, copied, checked and
 * reopened: bits flipped, pages zeroed, ends cut off, of SSTs, of the log and of the manifest. Each
 * answer is right or a {@link SifrException}, except reads of a mapping whose file was damaged
 * since the store was opened. Whatever was read, what is found in the end by an opening that has
 * checked nothing before is right or an exception, in copies too; and a store that {@link
 * StoreCheck} calls clean has all of it.
 *
 * <p>Which files there are to be damaged depends on how far compactions are, and with it what
 * happens to a store. So one in five is spared: it must be clean. Then all its SSTs are damaged,
 * which nobody may fail to notice.
 *
 * <p>A longer run, which also tells what happened: {@code -Dsifr.damage.running=2000}; another
 * first seed: {@code -Dsifr.damage.seed=…}.
 */
@Tag("damage")
class RunningDamageTest {
  private static final int STORES =
      Integer.getInteger("sifr.damage.running", SearchLength.of(18, 36));
  private static final long FIRST_SEED = Long.getLong("sifr.damage.seed", 1);
  private static final int LONG_RUN = 200;
  private static final int STEPS = 60;
  private static final int ONE_IS_SPARED_OF = 5;
  private static final int PAGE = 4096;
  private static final long FAST = 1L << 40;
  private static final ReadMode[] MODES = {ReadMode.MMAP, ReadMode.POSITIONAL, ReadMode.DIRECT};

  /** What is counted. */
  enum Count {
    BITS_FLIPPED,
    PAGES_ZEROED,
    FILES_CUT,
    SSTS_DAMAGED,
    LOGS_DAMAGED,
    MANIFESTS_DAMAGED,
    READS_RIGHT,
    READS_REFUSED,
    MAPPED_READS_WRONG,
    MERGES_DONE,
    MERGES_REFUSED,
    COPIES_MADE,
    COPIES_REFUSED,
    REOPENED,
    STORES_FAILED,
    STORES_REFUSED,
    STORES_CLEAN,
    STORES_FOUND_DAMAGED
  }

  @TempDir Path temporary;
  private final Map<Count, Long> counts = new EnumMap<>(Count.class);

  @Test
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void everyAnswerIsRightOrAnExceptionAndNothingWrongIsWrittenAnew() throws IOException {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + STORES; seed++) {
      Path parent = Files.createDirectory(temporary.resolve("seed-" + seed));
      try {
        new Run(seed, parent).all();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", -Dsifr.damage.seed=" + seed, e);
      }
      MoreFiles.deleteRecursively(parent, RecursiveDeleteOption.ALLOW_INSECURE);
    }
    if (STORES >= LONG_RUN) {
      System.out.println(counts);
    }
    // The search is worth nothing if one of these does not happen.
    assertThat(counts.keySet())
        .contains(
            Count.READS_RIGHT,
            Count.READS_REFUSED,
            Count.MERGES_DONE,
            Count.MERGES_REFUSED,
            Count.COPIES_MADE,
            Count.COPIES_REFUSED,
            Count.STORES_CLEAN,
            Count.STORES_FOUND_DAMAGED);
  }

  private void count(Count what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** One store from its first write to its last check. */
  private final class Run {
    private final Random random;
    private final Path parent;
    private final Path directory;
    private final ReadMode mode;
    private final Compression compression;
    private final int keys;

    /** Whether no file is damaged until the store was found clean. */
    private boolean isSpared;

    private Store store;
    private int version;
    private int copies;

    /** What each key may have now: one value, or more after a write that has failed. */
    private final Map<String, Set<String>> model = new TreeMap<>();

    /** What each key has ever had. */
    private final Map<String, Set<String>> history = new TreeMap<>();

    /** Whether an SST was damaged since the store was opened. */
    private boolean isDamaged;

    /** Whether the store has failed: then what was written last may be lost. */
    private boolean hasFailed;

    Run(long seed, Path parent) {
      this.random = new Random(seed);
      this.parent = parent;
      this.directory = parent.resolve("store");
      this.mode = MODES[(int) (seed % MODES.length)];
      this.compression =
          seed / MODES.length % 2 == 0
              ? Compression.NONE
              : random.nextInt(4) == 0 ? Compression.ZSTD : Compression.LZ4;
      this.keys = 20 + random.nextInt(400);
      this.isSpared = seed % ONE_IS_SPARED_OF == 0;
      this.store = open(directory, mode);
    }

    private Store open(Path at, ReadMode how) {
      StoreOptions options =
          StoreOptions.builder()
              .readMode(how)
              .compression(compression)
              .writeBufferBytes(16384L << random.nextInt(3))
              .splitUnitBytes(4096L << random.nextInt(5))
              .compaction(CompactionPolicy.splitForest(2 + random.nextInt(3)))
              .logAccess(random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN)
              .logSegmentBytes(16384 << random.nextInt(2))
              .keptLogBytes(random.nextBoolean() ? 0 : 1 << 20)
              .checkBytesPerSecond(random.nextBoolean() ? 0 : FAST)
              .set("blockCacheBytes", List.of("0", "64KiB", "auto").get(random.nextInt(3)))
              .build();
      boolean links = random.nextBoolean();
      return TestStores.open(
          at,
          options,
          new ForwardingFileSystem(DrawnStore.FILES) {
            @Override
            public boolean link(Path file, Path second) {
              return links && super.link(file, second);
            }
          });
    }

    void all() throws IOException {
      write(keys);
      for (int i = 0; i < STEPS && !hasFailed; i++) {
        step(i);
      }
      close();
      boolean isClean = check();
      boolean isWhole = readAnew(directory);
      count(isClean ? Count.STORES_CLEAN : Count.STORES_FOUND_DAMAGED);
      if (isClean && !isWhole) {
        throw new AssertionError("the check has found nothing, and something cannot be read");
      }
      if (isSpared) {
        assertThat(isClean).as("clean, as nothing was damaged").isTrue();
        damageAllSsts();
      }
    }

    /** Damages the first block of each SST, between two openings; then all of these notice. */
    private void damageAllSsts() throws IOException {
      store = open(directory, mode);
      rewriteAll();
      close();
      for (Path sst : Directories.files(directory, FileKind.SST)) {
        Directories.flip(sst, FileHeader.BYTES);
      }
      isSpared = false;
      store = open(directory, mode);
      assertThat(scan(store.database(), true)).as("a scan is refused").isFalse();
      rewriteAll(); // so that there are two trees, at least
      assertThat(merge()).as("a merge is refused").isFalse();
      assertThat(backup(parent.resolve("copy"))).as("a backup is refused").isFalse();
      close();
      assertThat(check()).as("clean, although all SSTs are damaged").isFalse();
      count(Count.STORES_FOUND_DAMAGED);
    }

    /** Gives each key a value in an SST. */
    private void rewriteAll() {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < keys; i++) {
        String value = "v" + ++version + " of " + key(i);
        batch.put(store.database(), bytes(key(i)), bytes(value));
        past(key(i)).add(value);
        model.put(key(i), Set.of(value));
      }
      store.write(batch);
      store.flush();
    }

    private void step(int number) throws IOException {
      switch (random.nextInt(number < 10 ? 6 : 10)) {
        case 0, 1 -> write(1 + random.nextInt(keys));
        case 2 -> attempt(() -> store.flush());
        case 3 -> get(20);
        case 4 -> scan(store.database(), !isTolerated());
        case 5 -> {
          if (random.nextInt(3) == 0) {
            boolean unused = merge();
          }
        }
        case 6, 7 -> {
          if (number % 2 == 0 && !isSpared) {
            damageAndMerge();
          }
        }
        case 8 -> copy();
        default -> reopen();
      }
    }

    /** Reads of a mapping trust what was checked since the store was opened. */
    private boolean isTolerated() {
      return mode == ReadMode.MMAP && isDamaged;
    }

    private static String key(int number) {
      return "key%05d".formatted(number);
    }

    private static byte[] bytes(String text) {
      return text.getBytes(ISO_8859_1);
    }

    private @Nullable String draw(String key) {
      if (random.nextInt(8) == 0) {
        return null;
      }
      int padding = random.nextInt(50) == 0 ? random.nextInt(20_000) : random.nextInt(200);
      return "v" + ++version + " of " + key + " " + "abcdefgh".repeat(padding / 8);
    }

    private void write(int count) {
      WriteBatch batch = new WriteBatch();
      Map<String, Set<String>> written = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        String key = key(random.nextInt(keys));
        String value = draw(key);
        if (value == null) {
          batch.delete(store.database(), bytes(key));
        } else {
          batch.put(store.database(), bytes(key), bytes(value));
        }
        written.put(key, Set.of(String.valueOf(value)));
      }
      written.forEach((key, value) -> past(key).addAll(value));
      try {
        store.write(batch);
        model.putAll(written);
      } catch (SifrException e) {
        written.forEach(
            (key, value) -> {
              Set<String> either = new HashSet<>(allowed(key));
              either.addAll(value);
              model.put(key, either);
            });
        failed(e);
      }
    }

    private Set<String> past(String key) {
      return history.computeIfAbsent(key, k -> new HashSet<>(Set.of("null")));
    }

    private Set<String> allowed(String key) {
      return model.getOrDefault(key, Set.of("null"));
    }

    private void failed(SifrException e) {
      if (isSpared) {
        throw new AssertionError("failed, and nothing was damaged", e);
      }
      hasFailed = true;
      count(Count.STORES_FAILED);
    }

    private void attempt(Runnable action) {
      try {
        action.run();
      } catch (SifrException e) {
        failed(e);
      }
    }

    /** Returns false when it ended with an exception. */
    private boolean merge() {
      try {
        store.database().compact();
        count(Count.MERGES_DONE);
        return true;
      } catch (SifrException e) {
        count(Count.MERGES_REFUSED);
        return false;
      }
    }

    private void get(int count) {
      for (int i = 0; i < count; i++) {
        get(store.database(), key(random.nextInt(keys)), !isTolerated());
      }
    }

    /** Returns false when the answer was an exception. */
    private boolean get(Database database, String key, boolean isStrict) {
      byte[] value;
      try {
        value = database.get(bytes(key));
      } catch (SifrException e) {
        count(Count.READS_REFUSED);
        return false;
      }
      require(key, value == null ? "null" : new String(value, ISO_8859_1), isStrict);
      return true;
    }

    private void require(String key, String value, boolean isStrict) {
      Set<String> right = hasFailed ? past(key) : allowed(key);
      if (right.contains(value)) {
        count(Count.READS_RIGHT);
      } else if (isStrict) {
        throw new AssertionError(
            "%s, %s: %s has %s, not %s".formatted(mode, compression, key, value, right));
      } else {
        count(Count.MAPPED_READS_WRONG);
      }
    }

    /** Returns false when it ended with an exception. */
    private boolean scan(Database database, boolean isStrict) {
      Set<String> seen = new HashSet<>();
      int entries = 0;
      boolean isForward = random.nextBoolean();
      try (Cursor cursor = database.cursor()) {
        for (boolean found = isForward ? cursor.first() : cursor.last();
            found;
            found = isForward ? cursor.next() : cursor.previous()) {
          String key = new String(cursor.key(), ISO_8859_1);
          seen.add(key);
          require(key, new String(cursor.value(), ISO_8859_1), isStrict);
          if (++entries > 10 * keys) {
            throw new AssertionError("the cursor does not come to an end");
          }
        }
      } catch (SifrException e) {
        count(Count.READS_REFUSED);
        return false;
      }
      for (int i = 0; i < keys; i++) {
        if (!seen.contains(key(i))) {
          require(key(i), "null", isStrict);
        }
      }
      return true;
    }

    /** Damages a file; often everything was read before, and is merged afterwards. */
    private void damageAndMerge() throws IOException {
      if (random.nextBoolean()) {
        boolean unused = scan(store.database(), !isTolerated());
        get(keys);
      }
      damage();
      if (random.nextBoolean() && !hasFailed) {
        boolean unused = merge();
      }
    }

    private void damage() throws IOException {
      List<Path> files = Directories.files(directory);
      int draw = random.nextInt(10);
      FileKind kind = draw < 8 ? FileKind.SST : draw < 9 ? FileKind.WAL : FileKind.MANIFEST;
      List<Path> candidates =
          files.stream()
              .filter(file -> kind.numberOf(file.getFileName().toString()).isPresent())
              .toList();
      if (candidates.isEmpty()) {
        return;
      }
      Path file = candidates.get(random.nextInt(candidates.size()));
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        damage(channel);
      } catch (NoSuchFileException e) {
        return; // it was obsolete
      }
      switch (kind) {
        case SST -> {
          isDamaged = true;
          count(Count.SSTS_DAMAGED);
        }
        case WAL -> count(Count.LOGS_DAMAGED);
        default -> count(Count.MANIFESTS_DAMAGED);
      }
      if (random.nextBoolean()) {
        boolean unused = scan(store.database(), !isTolerated());
      }
      write(1); // so that the end of a log or manifest that was cut is not where it ends
      attempt(() -> store.flush());
    }

    private void damage(FileChannel file) throws IOException {
      long size = file.size();
      if (size == 0) {
        return;
      }
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          long at = (long) (random.nextDouble() * size);
          ByteBuffer one = ByteBuffer.allocate(1);
          file.read(one, at);
          one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8)));
          file.write(one.rewind(), at);
          count(Count.BITS_FLIPPED);
        }
        case 2 -> {
          long page = (long) (random.nextDouble() * size) / PAGE * PAGE;
          file.write(ByteBuffer.allocate((int) Math.min(PAGE, size - page)), page);
          count(Count.PAGES_ZEROED);
        }
        default -> {
          file.truncate(random.nextInt(4) == 0 ? 1 : (long) (random.nextDouble() * size));
          count(Count.FILES_CUT);
        }
      }
    }

    /** What a copy contains is right, or it is not made; links are as damaged as what they link. */
    private void copy() {
      Path copy = parent.resolve("copy-" + copies++);
      if (random.nextBoolean() ? checkpoint(copy) : backup(copy)) {
        boolean unused = readAnew(copy);
      }
    }

    private boolean checkpoint(Path copy) {
      return isMade(() -> store.checkpoint(copy));
    }

    private boolean backup(Path copy) {
      return isMade(
          () -> {
            Backups backups = Backups.in(parent.resolve("backup-" + copies));
            long number = backups.create(store).number();
            backups.restore(number, copy);
          });
    }

    private boolean isMade(Runnable copying) {
      try {
        copying.run();
        count(Count.COPIES_MADE);
        return true;
      } catch (SifrException e) {
        count(Count.COPIES_REFUSED);
        return false;
      }
    }

    private void reopen() throws IOException {
      close();
      if (hasFailed) {
        return;
      }
      try {
        store = open(directory, mode);
        isDamaged = false;
        count(Count.REOPENED);
      } catch (SifrException e) {
        hasFailed = true;
        count(Count.STORES_REFUSED);
      }
    }

    private void close() {
      attempt(() -> store.close());
    }

    /** Returns whether a check of all files finds nothing. */
    private boolean check() {
      return TestChecks.run(DrawnStore.FILES, directory).findings().isEmpty();
    }

    /** Returns whether all of a store can be read that is not open. */
    private boolean readAnew(Path at) {
      try (Store anew = open(at, MODES[random.nextInt(MODES.length)])) {
        boolean isWhole = true;
        for (int i = 0; i < keys; i++) {
          isWhole &= get(anew.database(), key(i), true);
        }
        isWhole &= scan(anew.database(), true);
        return isWhole;
      } catch (SifrException e) {
        count(Count.STORES_REFUSED);
        return false;
      }
    }
  }
}
