package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.FilterMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.dump.FileDump;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters answer for SSTs that do not hold a key, whatever becomes of the file they lie in. */
class FiltersSpareReadsTest {
  private static final int KEYS = 3000;

  @TempDir Path temporary;

  private Path directory() {
    return temporary.resolve("store");
  }

  private static StoreOptions options(FilterMode mode) {
    return SmallStores.options().filterMode(mode).build();
  }

  /** Keys in no order, so that every tree may hold every key; those that end in 7 are deleted. */
  private static void load(Store store) {
    for (int i = 0; i < KEYS; i++) {
      int key = (int) ((long) i * 1237 % KEYS) * 2;
      store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
    }
    for (int key = 0; key < 2 * KEYS; key += 14) {
      store.database().delete(SmallStores.key(key));
    }
    store.flush();
    store.awaitIdle();
  }

  private static void requireAnswers(Store store) {
    for (int key = 0; key < 2 * KEYS; key++) {
      boolean isThere = key % 2 == 0 && key % 14 != 0;
      assertThat(store.database().get(SmallStores.key(key)))
          .as("key %d", key)
          .isEqualTo(isThere ? SmallStores.value(key, 1) : null);
    }
  }

  private void requireSpares(Store store) {
    StoreStatistics before = store.statistics();
    requireAnswers(store);
    StoreStatistics after = store.statistics();
    assertThat(after.contents().trees()).isGreaterThan(1);
    long rejects = after.filters().rejects() - before.filters().rejects();
    long inVain = after.filters().falsePositives() - before.filters().falsePositives();
    assertThat(rejects).isGreaterThan(KEYS);
    assertThat(inVain).isLessThan(rejects / 30);
    assertThat(after.memory().filterBytes()).isPositive();
  }

  /** A caller who is not to wait for blocks is not to wait for filters either. */
  @Test
  void whoAsksAsynchronouslyReadsNoFilterHimself() {
    try (Store store = SmallStores.open(directory(), options(FilterMode.HOT))) {
      load(store);
    }
    Set<Thread> readers = ConcurrentHashMap.newKeySet();
    StoreFileSystem files =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public RandomReadFile openForRead(Path file) {
            if (file.toString().endsWith(".filters")) {
              readers.add(Thread.currentThread());
            }
            return super.openForRead(file);
          }
        };
    StoreOptions options =
        SmallStores.options().filterMode(FilterMode.HOT).filterCacheBytes(4 << 10).build();
    try (Store store = TestStores.open(directory(), options, files)) {
      readers.clear();
      for (int key = 0; key < 2 * KEYS; key += 2) {
        store.database().getAsync(SmallStores.key(key)).join();
      }
    }
    assertThat(readers).isNotEmpty().doesNotContain(Thread.currentThread());
  }

  private void requireSound() {
    assertThat(StoreCheck.run(directory(), CheckProgress.NONE).findings()).isEmpty();
  }

  private Path filterFile() {
    return SmallStores.files(directory(), ".filters").get(0);
  }

  @ParameterizedTest
  @EnumSource(
      value = FilterMode.class,
      names = {"RESIDENT", "HOT"})
  void afterLoadingAndWhenTheStoreIsOpenedAgain(FilterMode mode) {
    try (Store store = SmallStores.open(directory(), options(mode))) {
      load(store);
      requireSpares(store);
    }
    requireSound();
    try (Store store = SmallStores.open(directory(), options(mode))) {
      requireSpares(store);
      store.database().compact();
      requireAnswers(store);
    }
    requireSound();
  }

  @Test
  void withoutFiltersNothingIsCounted() {
    try (Store store = SmallStores.open(directory(), options(FilterMode.OFF))) {
      load(store);
      requireAnswers(store);
      assertThat(store.statistics().filters().rejects()).isZero();
      assertThat(store.statistics().filters().falsePositives()).isZero();
      assertThat(store.statistics().memory().filterBytes()).isZero();
    }
    assertThat(SmallStores.files(directory(), ".filters")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = FilterMode.class,
      names = {"RESIDENT", "HOT"})
  void ofAStoreThatWasWrittenWithoutTheyAreMade(FilterMode mode) {
    try (Store store = SmallStores.open(directory(), options(FilterMode.OFF))) {
      load(store);
    }
    try (Store store = SmallStores.open(directory(), options(mode))) {
      store.awaitIdle();
      requireSpares(store);
    }
    requireSound();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 32})
  void withOtherBitsAKeyThanBefore(int bits) {
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      load(store);
    }
    StoreOptions options = SmallStores.options().filterBitsPerKey(bits).build();
    try (Store store = SmallStores.open(directory(), options)) {
      requireSpares(store);
      long before = store.statistics().memory().filterBytes();
      store.database().compact();
      requireAnswers(store);
      assertThat(store.statistics().memory().filterBytes() > before).isEqualTo(bits > 10);
    }
    requireSound();
  }

  /** Those of the last stage spare the fewest reads, and take the most memory. */
  @Test
  void earlierStagesHaveMoreBitsAKeyAlsoWhenTheyAreMadeAnew() throws IOException {
    Set<Object> expected = new TreeSet<>();
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      load(store);
      List<ForestShape.Stage> stages = store.database().forest().stages();
      for (ForestShape.Stage stage : stages) {
        if (!stage.trees().isEmpty()) {
          expected.add(10L + 3L * (stages.size() - stage.number()));
        }
      }
      assertThat(expected).hasSizeGreaterThan(1).contains(10L);
    }
    Files.delete(filterFile());
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      store.awaitIdle();
      requireAnswers(store);
    }
    Set<Object> bits = new TreeSet<>();
    FileDump.dump(
        filterFile(),
        piece -> {
          if (piece.kind().equals("filter")) {
            bits.add(Objects.requireNonNull(piece.fields().get("bitsPerKey")));
          }
        });
    assertThat(bits).isEqualTo(expected);
  }

  private enum Damage {
    DELETED(bytes -> new byte[0]),
    TRUNCATED(bytes -> Arrays.copyOf(bytes, bytes.length / 2 + 17)),
    ZEROED(bytes -> new byte[bytes.length]),
    EVERY_FILTER_FLIPPED(
        bytes -> {
          byte[] damaged = bytes.clone();
          for (int at = 4096 + 80; at < bytes.length; at += 4096) {
            damaged[at] ^= 8;
          }
          return damaged;
        });

    @SuppressWarnings("ImmutableEnumChecker") // the functions keep nothing
    private final UnaryOperator<byte[]> change;

    Damage(UnaryOperator<byte[]> change) {
      this.change = change;
    }
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void whenTheirFileIsDamagedTheyAreMadeAnew(Damage damage) throws IOException {
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      load(store);
    }
    Path file = filterFile();
    byte[] changed = damage.change.apply(Files.readAllBytes(file));
    if (damage == Damage.DELETED) {
      Files.delete(file);
    } else {
      Files.write(file, changed);
      if (damage != Damage.TRUNCATED) {
        assertThat(StoreCheck.run(directory(), CheckProgress.NONE).findings())
            .isNotEmpty()
            .allSatisfy(finding -> assertThat(finding.file()).isEqualTo(file))
            .allSatisfy(finding -> assertThat(finding.what()).contains("no data is lost"));
      }
    }
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      requireAnswers(store);
      store.awaitIdle();
      requireSpares(store);
    }
    requireSound();
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      requireSpares(store);
    }
  }

  @Test
  void fileOfAnotherStoreIsNotBelieved() throws IOException {
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      load(store);
    }
    Path other = temporary.resolve("other");
    try (Store store = SmallStores.open(other, options(FilterMode.RESIDENT))) {
      SmallStores.fill(store.database(), 100_000, 103_000, 9);
      store.flush();
      store.awaitIdle();
    }
    Path foreign = SmallStores.files(other, ".filters").get(0);
    Files.delete(filterFile());
    Files.copy(foreign, directory().resolve(foreign.getFileName()));
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      requireAnswers(store);
      store.awaitIdle();
      requireSpares(store);
    }
    requireSound();
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void whenTheirFileCannotBeWritten(Fault fault) {
    FaultyFileSystem files = new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
    for (Operation operation : new Operation[] {Operation.CREATE, Operation.WRITE}) {
      files.failForGood(operation, path -> path.toString().endsWith(".filters"), 1, fault);
    }
    try (Store store = TestStores.open(directory(), options(FilterMode.RESIDENT), files)) {
      load(store);
      requireSpares(store);
    }
    requireSound();
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      store.awaitIdle();
      requireSpares(store);
    }
  }

  @Test
  void theirFileDoesNotGrowWithWhatIsMerged() throws IOException {
    try (Store store = SmallStores.open(directory(), options(FilterMode.RESIDENT))) {
      long size = 0;
      for (int round = 0; round < 8; round++) {
        load(store);
        store.database().compact();
        size = round == 1 ? Files.size(filterFile()) : size;
      }
      requireAnswers(store);
      assertThat(Files.size(filterFile())).isLessThanOrEqualTo(2 * size);
    }
    requireSound();
  }
}
