package io.sifr.testing;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.FileDump;
import io.sifr.internal.format.FileKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Stores with several databases, stages and trees, overwritten and deleted keys. */
public final class SampleStore {
  public static final int KEYS = 1500;

  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .writeBufferBytes(64 << 10)
          .splitUnitBytes(32 << 10)
          .logSegmentBytes(64 << 10)
          .keptLogBytes(0)
          .build();

  private SampleStore() {}

  /** One that was closed. */
  public static Path closed(Path directory) {
    try (Store store = Store.open(directory, OPTIONS)) {
      write(store, Durability.BUFFERED);
    }
    return directory;
  }

  /**
   * One as a killed process leaves it: with a log. All writes were synced. There are always the
   * same files, though not always under the same numbers.
   */
  public static Path killed(Path directory) throws IOException {
    Path live = directory.resolve("live");
    try (Store store = Store.open(live, OPTIONS)) {
      write(store, Durability.SYNC);
      Waiting.until(
          "what was merged is deleted, and a log segment ready", () -> isSettled(store, live));
      return Directories.copy(live, directory.resolve("killed"));
    }
  }

  private static boolean isSettled(Store store, Path live) {
    try {
      List<Path> segments = Directories.files(live, FileKind.WAL);
      List<DumpedRecord> last = new ArrayList<>();
      FileDump.dump(segments.get(segments.size() - 1), last::add);
      return last.stream().noneMatch(piece -> piece.kind().equals("record"))
          && Directories.files(live, FileKind.SST).size() == store.statistics().get(Metric.SSTS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Store store, Durability durability) {
    Random random = new Random(7);
    Database first = store.database();
    Database second = store.openOrCreateDatabase("second");
    for (int i = 0; i < KEYS; i++) {
      byte[] value = new byte[50 + random.nextInt(100)];
      Arrays.fill(value, (byte) i);
      // Few syncs, but the last write makes all of them durable.
      Durability chosen = i % 100 == 99 ? durability : Durability.BUFFERED;
      first.put(key(random.nextInt(KEYS)), value, WriteOptions.of(chosen));
      if (i % 10 == 0) {
        first.delete(key(random.nextInt(KEYS)));
        second.put(key(i), value);
      }
    }
    store.awaitIdle();
    second.put(key(1), key(2), WriteOptions.of(durability));
  }

  public static byte[] key(int number) {
    return String.format("key%06d", number).getBytes(StandardCharsets.US_ASCII);
  }
}
