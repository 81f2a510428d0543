package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Padded;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores so small that a few hundred writes pass through flush and merge, and their contents. */
final class SmallStores {
  private SmallStores() {}

  /** Everything is flushed when they are closed, so that there are trees. */
  static StoreOptions.Builder options() {
    return StoreOptions.builder()
        .keptLogBytes(0)
        .writeBufferBytes(32 << 10)
        .splitUnitBytes(16 << 10)
        .logSegmentBytes(16 << 10)
        .compaction(CompactionPolicy.splitForest(3));
  }

  static Store open(Path directory) {
    return open(directory, options().build());
  }

  static Store open(Path directory, StoreOptions options) {
    return TestStores.open(directory, options, new NoSyncFileSystem(new DiskFileSystem()));
  }

  /** With extensions of the test's own, or those that users have. */
  static Store open(Path directory, StoreOptions options, Extensions extensions) {
    NoSyncFileSystem files = new NoSyncFileSystem(new DiskFileSystem());
    return TestStores.open(directory, options, files, StoreListener.NONE, extensions);
  }

  static Store open(Path directory, StoreOptions options, Tuning tuning) {
    return TestStores.open(directory, options, tuning, new NoSyncFileSystem(new DiskFileSystem()));
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, UTF_8);
  }

  static byte[] key(int number) {
    return bytes("key" + Padded.number(number, 6));
  }

  /** A value of about a hundred bytes that tells its key and its version. */
  static byte[] value(int number, int version) {
    return bytes(("v" + version + " of " + number + " ").repeat(8));
  }

  static void fill(Database database, int from, int to, int version) {
    for (int i = from; i < to; i++) {
      database.put(key(i), value(i, version));
    }
  }

  /** What {@link #fill} leaves. */
  static Map<String, String> filled(int from, int to, int version) {
    Map<String, String> content = new TreeMap<>();
    for (int i = from; i < to; i++) {
      content.put(new String(key(i), UTF_8), new String(value(i, version), UTF_8));
    }
    return content;
  }

  static Map<String, String> content(Database database) {
    try (Cursor cursor = database.cursor()) {
      return rest(cursor);
    }
  }

  /** All entries after the one the cursor stands on. */
  static Map<String, String> rest(Cursor cursor) {
    Map<String, String> content = new TreeMap<>();
    while (cursor.next()) {
      content.put(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
    }
    return content;
  }

  /** Files whose name ends so, by name. */
  static List<Path> files(Path directory, String suffix) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What is in the files whose names end so, of a store that may be open: without those that a
   * compaction deletes while they are read.
   */
  static List<byte[]> contents(Path directory, String suffix) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (Path file : files(directory, suffix)) {
      try {
        contents.add(Files.readAllBytes(file));
      } catch (NoSuchFileException e) {
        assertThat(file).as("it was there, and is replaced by now").doesNotExist();
      }
    }
    return contents;
  }

  /**
   * Copies what a killed process would leave. The store is idle; what vanishes meanwhile are files
   * that nothing refers to any more, or not yet.
   */
  static void copy(Path directory, Path target) throws IOException {
    Files.createDirectories(target);
    for (Path file : files(directory, "")) {
      if (!file.endsWith("LOCK")) {
        try {
          Files.copy(file, target.resolve(file.getFileName().toString()));
        } catch (NoSuchFileException e) {
          assertThat(file.toString()).doesNotEndWith(".manifest").doesNotEndWith("CURRENT");
        }
      }
    }
  }

  /** Null, where no null is allowed: what callers without nullness checks may give. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // that is its purpose
  static <T> T nothing() {
    return null;
  }
}
