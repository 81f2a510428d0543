package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.TamperedException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.sst.format.Footer;
import io.sifr.spi.EncryptionKeys;
import io.sifr.testing.SearchLength;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who changes an encrypted store without its key is noticed, also if all checksums are made right
 * again: what is read is what was written, or there is an exception.
 */
@Tag("damage")
class TamperingIsNoticedTest {
  private static final long SEED = Long.getLong("sifr.damage.seed", 1);
  private static final int TRIALS =
      Integer.getInteger("sifr.damage.trials", SearchLength.of(200, 1000));
  private static final int PAGE = 4096;
  private static final EncryptionKeys KEYS =
      EncryptionKeys.of("a key that has thirty-two bytes.".getBytes(US_ASCII));
  private static final StoreOptions OPTIONS =
      SmallStores.options().keptLogBytes(1 << 20).logSegmentBytes(64 << 10).build();

  @TempDir private Path parent;
  private final Random random = new Random(SEED);
  private Map<String, byte[]> content = Map.of();

  /** SSTs that the store had before, and does not need any more. */
  private final List<byte[]> older = new ArrayList<>();

  private Path directory = Path.of("");

  @BeforeEach
  void fill() throws IOException {
    directory = parent.resolve("store");
    try (Store store = Store.builder(directory).options(OPTIONS).encryption(KEYS).open()) {
      Database database =
          store.createDatabase(
              "values", DatabaseOptions.builder().separateValuesFrom(5000).build());
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 600; i++) {
          int repeated = i % 50 == 0 ? 2000 : 10;
          database.put(bytes("key " + i), bytes(("value " + round + " " + i).repeat(repeated)));
        }
        store.flush();
        older.addAll(SmallStores.contents(directory, ".sst"));
        if (round == 1) {
          database.compact();
        }
      }
      for (int i = 0; i < 100; i++) {
        database.put(bytes("logged " + i), bytes("only in the log " + i));
      }
    }
    content = read(directory);
  }

  /** All entries, by a cursor and by gets. */
  private static Map<String, byte[]> read(Path directory) {
    Map<String, byte[]> found = new TreeMap<>();
    Map<String, byte[]> got = new TreeMap<>();
    try (Store store = Store.builder(directory).options(OPTIONS).encryption(KEYS).openReadOnly();
        Cursor cursor = store.database("values").cursor()) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        found.put(new String(cursor.key(), US_ASCII), cursor.value());
      }
      for (int i = 0; i < 600; i++) {
        get(store, "key " + i, got);
        get(store, "logged " + i, got);
      }
    }
    assertThat(same(found, got)).isTrue();
    return found;
  }

  private static void get(Store store, String key, Map<String, byte[]> got) {
    byte[] value = store.database("values").get(bytes(key));
    if (value != null) {
      got.put(key, value);
    }
  }

  private static boolean same(Map<String, byte[]> one, Map<String, byte[]> other) {
    return one.keySet().equals(other.keySet())
        && one.entrySet().stream()
            .allMatch(e -> Arrays.equals(e.getValue(), other.get(e.getKey())));
  }

  @Test
  void nothingWrongIsReadWithoutAnException() throws IOException {
    int told = 0;
    int tampered = 0;
    int harmless = 0;
    for (int i = 0; i < TRIALS; i++) {
      Path file = any(List.of(".sst", ".sst", ".wal", ".manifest", ".values"));
      byte[] before = Files.readAllBytes(file);
      byte[] changed = before.clone();
      String how = change(file, changed);
      int size = how.equals("cut") ? random.nextInt(before.length) : before.length;
      Files.write(file, Arrays.copyOf(changed, size));
      try {
        assertThat(same(read(directory), content))
            .as("seed %d, trial %d: %s %s", SEED, i, how, file.getFileName())
            .isTrue();
        harmless++;
      } catch (SifrException e) {
        told++;
        tampered += isTampered(e) ? 1 : 0;
      }
      Files.write(file, before);
    }
    assertThat(same(read(directory), content)).isTrue();
    System.out.printf(
        "%d changes, seed %d: %d told, %d of them as tampering, %d in what is not needed%n",
        TRIALS, SEED, told, tampered, harmless);
    assertThat(tampered).isGreaterThan(TRIALS / 10);
    assertThat(told - tampered).isGreaterThan(TRIALS / 10);
  }

  private static boolean isTampered(Throwable e) {
    return e instanceof TamperedException || (e.getCause() != null && isTampered(e.getCause()));
  }

  private Path any(List<String> kinds) {
    List<Path> files = SmallStores.files(directory, kinds.get(random.nextInt(kinds.size())));
    return files.get(random.nextInt(files.size()));
  }

  private String change(Path file, byte[] bytes) {
    String name = file.toString();
    int at = random.nextInt(bytes.length);
    int kind = random.nextInt(6);
    if (kind == 0) {
      return "cut";
    }
    if (kind == 1 || name.endsWith(".values")) {
      bytes[at] ^= (byte) (1 << random.nextInt(8));
      return "flipped at " + at;
    }
    if (!name.endsWith(".sst")) {
      return changeFrame(bytes);
    }
    int pages = bytes.length / PAGE;
    int page = random.nextInt(pages - 1);
    switch (kind) {
      case 2 -> {
        at = page * PAGE + start(page) + random.nextInt(PAGE - 36);
        bytes[at] ^= 1;
        bind(bytes, page);
      }
      case 3 -> {
        int other = random.nextInt(pages - 1);
        int from = Math.max(start(page), start(other));
        for (int i = from; i < PAGE; i++) {
          byte swapped = bytes[page * PAGE + i];
          bytes[page * PAGE + i] = bytes[other * PAGE + i];
          bytes[other * PAGE + i] = swapped;
        }
        bind(bytes, page);
        bind(bytes, other);
      }
      case 4 -> {
        byte[] old = older.get(random.nextInt(older.size()));
        int from = page * PAGE + start(page);
        if (old.length >= (page + 1) * PAGE) {
          System.arraycopy(old, from, bytes, from, PAGE - start(page));
          bind(bytes, page);
        }
      }
      default -> {
        at = bytes.length - Footer.BYTES + random.nextInt(52);
        bytes[at] ^= 1;
        bindFooter(bytes);
      }
    }
    return "changed by " + kind + " in page " + page + " at " + at;
  }

  private static int start(int page) {
    return page == 0 ? FileHeader.BYTES : 0;
  }

  private static long id(byte[] bytes) {
    return FileHeader.uniqueId(ByteBuffer.wrap(bytes));
  }

  /** Makes the checksum of a page right, if it is a block, or a page of the filter. */
  private static void bind(byte[] bytes, int page) {
    int from = page * PAGE + start(page);
    int end = (page + 1) * PAGE - Integer.BYTES;
    int crc = Checksums.crc32c(bytes, from, end - from);
    ByteBuffer.wrap(bytes).putInt(end, Checksums.bind(crc, id(bytes), from));
  }

  private static void bindFooter(byte[] bytes) {
    int from = bytes.length - Footer.MOST_BYTES;
    int end = bytes.length - Integer.BYTES;
    int crc = Checksums.crc32c(bytes, from, end - from);
    long at = (long) bytes.length - Footer.BYTES;
    ByteBuffer.wrap(bytes).putInt(end, Checksums.bind(crc, id(bytes), at));
  }

  /** Changes what is in a record of the log or the manifest, and makes its checksum right. */
  private String changeFrame(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    List<Integer> frames = new ArrayList<>();
    int at = FileHeader.BYTES;
    while (RecordFrame.payloadLength(buffer, at, bytes.length, id(bytes), at) > 0) {
      frames.add(at);
      at += (int) RecordFrame.bytes(buffer.getInt(at));
    }
    if (frames.isEmpty()) {
      return "nothing";
    }
    int frame = frames.get(random.nextInt(frames.size()));
    int length = buffer.getInt(frame);
    int changed = frame + RecordFrame.HEADER_BYTES + random.nextInt(length);
    bytes[changed] ^= (byte) (1 << random.nextInt(8));
    RecordFrame.seal(buffer, frame, length, id(bytes), frame);
    return "a record at " + frame + " changed at " + changed;
  }

  /** With another shape, a filter that is as it was would rule out keys that are there. */
  @Test
  void aFooterIsProven() throws IOException {
    Path sst = any(List.of(".sst"));
    byte[] before = Files.readAllBytes(sst);
    for (int i = 0; i < 52; i++) {
      byte[] changed = before.clone();
      changed[changed.length - Footer.BYTES + i] ^= 1;
      if (i < 40 || i >= 48) { // else it is of another file
        bindFooter(changed);
        Files.write(sst, changed);
        assertThatExceptionOfType(SifrException.class)
            .as("byte %d", i)
            .isThrownBy(() -> read(directory));
      }
    }
    byte[] other = before.clone();
    other[other.length - Footer.BYTES + 51] ^= 1; // bits per key of the filter
    bindFooter(other);
    Files.write(sst, other);
    assertThatExceptionOfType(TamperedException.class).isThrownBy(() -> read(directory));
  }

  /** A fault of a disk is told as such. */
  @Test
  void aFlippedBitIsNoTampering() throws IOException {
    Path sst = any(List.of(".sst"));
    byte[] bytes = Files.readAllBytes(sst);
    bytes[100] ^= 1;
    Files.write(sst, bytes);
    try {
      var unused = read(directory);
      assertThat(true).as("the block was not needed").isFalse();
    } catch (CorruptionException e) {
      assertThat(e).isNotInstanceOf(TamperedException.class).hasMessageContaining("checksum");
    }
  }
}
