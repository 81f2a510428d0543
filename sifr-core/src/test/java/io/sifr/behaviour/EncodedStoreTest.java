package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.ReadOptions;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.inspect.check.TestChecks;
import io.sifr.inspect.dump.TestDumps;
import io.sifr.inspect.salvage.TestSalvages;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.sst.read.TestCodecs;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.Padded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store whose blocks are encoded: whatever reads a block decodes it. */
class EncodedStoreTest {
  private static final int KEYS = 4000;

  @TempDir Path parent;
  private Path directory;

  @BeforeEach
  void writeSomeTrees() {
    directory = parent.resolve("store");
    try (Store store =
        TestStores.open(
            directory, options(ReadMode.MMAP), DrawnStore.FILES, TestCodecs.DEFLATING)) {
      for (int tree = 0; tree < 4; tree++) {
        for (int i = tree; i < KEYS; i += 1 + tree) {
          store.database().put(key(i), value(i));
        }
        store.flush();
      }
      store.awaitIdle();
    }
  }

  private static StoreOptions options(ReadMode mode) {
    return StoreOptions.builder()
        .readMode(mode)
        .splitUnitBytes(64 << 10)
        .blockCacheBytes(1 << 18)
        .searchThreads(4)
        .build();
  }

  private static byte[] key(int i) {
    return ("key" + Padded.number(i, 6)).getBytes(US_ASCII);
  }

  private static byte[] value(int i) {
    return "a value that repeats itself, a value that repeats itself: %d"
        .formatted(i)
        .getBytes(US_ASCII);
  }

  private List<Path> ssts() throws IOException {
    return Directories.files(directory, FileKind.SST);
  }

  @Test
  void itTakesLessSpace() throws IOException {
    long raw = 0;
    long stored = 0;
    for (Path sst : ssts()) {
      stored += Files.size(sst);
      raw +=
          TestDumps.dump(sst).stream()
              .filter(piece -> piece.kind().equals("block"))
              .mapToLong(piece -> Long.parseLong(String.valueOf(piece.fields().get("rawBytes"))))
              .sum();
    }
    assertThat(stored).isLessThan(raw / 2);
  }

  @ParameterizedTest
  @EnumSource
  void everyWayToReadFindsEverything(ReadMode mode) {
    try (Store store = TestStores.open(directory, options(mode), DrawnStore.FILES)) {
      for (SearchScheme scheme : SearchScheme.values()) {
        ReadOptions reading = ReadOptions.builder().searchScheme(scheme).build();
        for (int i = 0; i < KEYS; i += 37) {
          assertThat(store.database().get(key(i), reading)).isEqualTo(value(i));
        }
      }
      try (Cursor cursor = store.database().cursor()) {
        for (int i = 0; i < KEYS; i++) {
          assertThat(cursor.next()).isTrue();
          assertThat(cursor.value()).isEqualTo(value(i));
        }
        for (int i = KEYS - 2; i >= 0; i--) {
          assertThat(cursor.previous()).isTrue();
          assertThat(cursor.value()).isEqualTo(value(i));
        }
      }
      store.database().compact();
      assertThat(store.database().get(key(77))).isEqualTo(value(77));
    }
    assertThat(TestChecks.run(DrawnStore.FILES, directory).findings()).isEmpty();
  }

  @Test
  void aDamagedBlockIsNamedAndTheOthersAreSalvaged() throws IOException {
    Path sst = ssts().get(0);
    byte[] bytes = Files.readAllBytes(sst);
    bytes[5000] ^= 1;
    Files.write(sst, bytes);
    assertThat(TestChecks.run(DrawnStore.FILES, directory).findings()).hasSize(1);
    Path target = parent.resolve("salvaged");
    assertThat(TestSalvages.run(DrawnStore.FILES, directory, target).lost()).isNotEmpty();
    try (Store store = TestStores.open(target, StoreOptions.DEFAULT, DrawnStore.FILES);
        Stream<Integer> keys = Stream.iterate(0, i -> i < KEYS, i -> i + 1)) {
      long found = keys.filter(i -> store.database().get(key(i)) != null).count();
      assertThat(found).isBetween(KEYS / 2L, KEYS - 1L);
    }
    try (Store store = TestStores.open(directory, options(ReadMode.POSITIONAL), DrawnStore.FILES)) {
      assertThatThrownBy(
              () -> {
                try (Cursor cursor = store.database().cursor()) {
                  while (cursor.next()) {
                    assertThat(cursor.value()).isNotEmpty();
                  }
                }
              })
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(sst.getFileName().toString());
    }
  }
}
