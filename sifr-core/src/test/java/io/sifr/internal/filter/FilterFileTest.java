package io.sifr.internal.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.FilterMode;
import io.sifr.error.CorruptionException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever happens to the filter file: a filter that is found lets every key of its SST pass. An
 * SST is its number here; its unique id and its keys follow from it.
 */
class FilterFileTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int PAGE = FilterExtent.PAGE_BYTES;
  private static final long CACHE_BYTES = 40_000;

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final FaultyFileSystem faults = new FaultyFileSystem(disk.fileSystem());
  private final LeakCountingFileSystem files = new LeakCountingFileSystem(faults);
  private long lastNumber = 1000;

  @AfterEach
  void nothingIsOpen() {
    files.assertNothingOpen();
  }

  private SstFilters filters(FilterMode mode) {
    return new SstFilters(
        files, DIRECTORY, mode, 10, CACHE_BYTES, () -> ++lastNumber, () -> ~lastNumber);
  }

  private static long id(long sst) {
    return sst * 0x9E3779B97F4A7C15L;
  }

  /** Some have a filter of one page, some of four. */
  private static int keys(long sst) {
    return 500 + (int) (sst % 4) * 3000;
  }

  private static byte[] key(long sst, int number) {
    return ByteBuffer.allocate(16).putLong(sst).putLong(number).array();
  }

  private static KeyHashes keysOf(long sst) {
    KeyHashes hashes = new KeyHashes();
    for (int i = 0; i < keys(sst); i++) {
      hashes.add(key(sst, i), 0, 16);
    }
    return hashes;
  }

  private static SstFilter make(SstFilters filters, long sst) {
    SstFilter made = filters.make(sst, id(sst), keysOf(sst), 0);
    assertThat(made).isNotNull();
    return made;
  }

  private static void requireHoldsAll(SstFilter filter, long sst) {
    for (int i = 0; i < keys(sst); i++) {
      assertThat(filter.mayHold(KeyHash.of(key(sst, i), 0, 16))).as("key of SST %d", sst).isTrue();
    }
  }

  private static boolean rejectsMost(SstFilter filter) {
    int rejects = 0;
    for (int i = 0; i < 1000; i++) {
      rejects += filter.mayHold(KeyHash.of(key(-1, i), 0, 16)) ? 0 : 1;
    }
    return rejects > 900;
  }

  private static Map<Long, Long> ids(Iterable<Long> ssts) {
    Map<Long, Long> ids = new HashMap<>();
    ssts.forEach(sst -> ids.put(sst, id(sst)));
    return ids;
  }

  private Map<Long, SstFilter> reopened(List<Long> ssts) {
    SstFilters again = filters(FilterMode.RESIDENT);
    Map<Long, SstFilter> found = again.load(ids(ssts));
    found.forEach((sst, filter) -> requireHoldsAll(filter, sst));
    again.close(true);
    return found;
  }

  private Path file() {
    List<String> names = files.list(DIRECTORY);
    assertThat(names).hasSize(1);
    return DIRECTORY.resolve(names.get(0));
  }

  private byte[] content() {
    try (RandomReadFile file = files.openForRead(file())) {
      byte[] content = new byte[(int) file.size()];
      file.readFully(ByteBuffer.wrap(content), 0);
      return content;
    }
  }

  private void replace(byte[] content) {
    replace(file(), content);
  }

  /** Makes it the only file. */
  private void replace(Path file, byte[] content) {
    files.list(DIRECTORY).forEach(name -> files.delete(DIRECTORY.resolve(name)));
    try (AppendFile out = files.create(file)) {
      out.append(content, 0, content.length);
    }
  }

  private void write(long... ssts) {
    SstFilters filters = filters(FilterMode.RESIDENT);
    Arrays.stream(ssts).forEach(sst -> make(filters, sst));
    filters.close(true);
  }

  @ParameterizedTest
  @EnumSource(
      value = FilterMode.class,
      names = {"RESIDENT", "HOT"})
  void filtersAreFoundAgain(FilterMode mode) {
    write(1, 2, 3, 4, 5, 6, 7);
    SstFilters filters = filters(mode);
    Map<Long, SstFilter> found = filters.load(ids(List.of(1L, 3L, 4L, 7L)));
    assertThat(found).containsOnlyKeys(1L, 3L, 4L, 7L);
    found.forEach(
        (sst, filter) -> {
          requireHoldsAll(filter, sst);
          assertThat(rejectsMost(filter)).isTrue();
        });
    assertThat(filters.rejects()).isGreaterThan(3600);
    assertThat(filters.memoryBytes()).isBetween(1L, mode == FilterMode.HOT ? CACHE_BYTES : 100_000);
    filters.close(true);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void pagesOfWhatIsGoneAreUsedAgainAndNoFilterIsTakenForAnother(long seed) {
    Random random = new Random(seed);
    Map<Long, SstFilter> live = new TreeMap<>();
    SstFilters filters = filters(FilterMode.RESIDENT);
    int mostPages = 1;
    for (long sst = 1; sst < 400; sst++) {
      live.put(sst, make(filters, sst));
      while (live.size() > 5 + random.nextInt(10)) {
        List<Long> numbers = new ArrayList<>(live.keySet());
        long gone = numbers.get(random.nextInt(numbers.size()));
        filters.remove(Objects.requireNonNull(live.remove(gone)));
      }
      mostPages = Math.max(mostPages, requireDisjoint(live));
      if (random.nextInt(20) == 0) {
        filters.close(random.nextBoolean());
        filters = filters(FilterMode.RESIDENT);
        Map<Long, SstFilter> found = filters.load(ids(live.keySet()));
        assertThat(found).as("seed %d", seed).containsOnlyKeys(live.keySet());
        found.forEach((number, filter) -> requireHoldsAll(filter, number));
        live = new TreeMap<>(found);
        requireDisjoint(live);
      }
    }
    filters.close(true);
    assertThat(files.size(file())).isLessThan(40 * 4 * PAGE);
  }

  /** Returns how many pages they take. */
  private static int requireDisjoint(Map<Long, SstFilter> live) {
    BitSet used = new BitSet();
    used.set(0);
    int count = 1;
    for (SstFilter filter : live.values()) {
      FilterExtent extent = Objects.requireNonNull(filter.extent());
      int from = (int) extent.page();
      assertThat(used.get(from, from + extent.pages()).isEmpty()).isTrue();
      used.set(from, from + extent.pages());
      count += extent.pages();
    }
    return count;
  }

  @Test
  void aFlippedBitIsNoticedWhereverItIs() {
    write(1, 2, 3);
    Path file = file();
    byte[] sound = content();
    Random random = new Random(1);
    for (int i = 0; i < 400; i++) {
      int at = random.nextInt(i % 2 == 0 ? sound.length : 64) + (i % 4 == 1 ? PAGE : 0);
      byte[] damaged = sound.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      replace(file, damaged);
      // The rest of the first page is not used.
      boolean isUsed = at < 32 || at >= PAGE;
      boolean all = reopened(List.of(1L, 2L, 3L)).size() == 3;
      assertThat(all).as("byte %d", at).isEqualTo(!isUsed);
    }
  }

  @Test
  void aDamagedFilterIsNotThereAnyMoreAndLeavesRoom() {
    write(1, 2, 3);
    byte[] damaged = content();
    damaged[PAGE + 100] ^= 1;
    replace(damaged);
    assertThat(reopened(List.of(1L, 2L, 3L))).containsOnlyKeys(2L, 3L);
    assertThat(damage()).isEmpty();
    SstFilters filters = filters(FilterMode.RESIDENT);
    filters.load(ids(List.of(1L, 2L, 3L)));
    assertThat(make(filters, 1).extent()).extracting(FilterExtent::page).isEqualTo(1L);
    filters.close(true);
    assertThat(reopened(List.of(1L, 2L, 3L))).hasSize(3);
  }

  private List<String> damage() {
    List<String> damage = new ArrayList<>();
    long number = FileKind.FILTERS.numberOf(file().getFileName().toString()).orElseThrow();
    FilterScan.run(
        files,
        DIRECTORY,
        number,
        new FilterScan.Visitor() {
          @Override
          public boolean wants(FilterExtent extent) {
            return true;
          }

          @Override
          public void filter(FilterExtent extent, BloomFilter filter) {}

          @Override
          public void damaged(long page, CorruptionException found) {
            damage.add(found.what());
          }
        });
    return damage;
  }

  @Test
  void extentsThatWereExchangedAreNotTaken() {
    write(4, 8, 12);
    byte[] exchanged = content();
    byte[] first = Arrays.copyOfRange(exchanged, PAGE, 2 * PAGE);
    System.arraycopy(exchanged, 2 * PAGE, exchanged, PAGE, PAGE);
    System.arraycopy(first, 0, exchanged, 2 * PAGE, PAGE);
    replace(exchanged);
    assertThat(reopened(List.of(4L, 8L, 12L))).containsOnlyKeys(12L);
  }

  @Test
  void filterOfAnotherSstOfTheSameNumberIsNotTaken() {
    write(1, 2);
    SstFilters filters = filters(FilterMode.RESIDENT);
    Map<Long, Long> ssts = ids(List.of(1L, 2L));
    ssts.put(1L, 77L);
    assertThat(filters.load(ssts)).containsOnlyKeys(2L);
    filters.close(true);
  }

  @Test
  void fileOfAnotherStoreIsIgnored() {
    write(1, 2, 3);
    byte[] foreign = content();
    files.delete(file());
    lastNumber += 1000;
    write(1, 2, 3);
    byte[] mixed = content();
    System.arraycopy(foreign, PAGE, mixed, PAGE, foreign.length - PAGE);
    replace(mixed);
    assertThat(reopened(List.of(1L, 2L, 3L))).isEmpty();
  }

  @Test
  void whatIsLeftOfATruncatedFileIsUsed() {
    write(4, 8, 2);
    Path file = file();
    byte[] whole = content();
    for (int length : new int[] {3 * PAGE + 5, 2 * PAGE + 4000, PAGE, 31, 0}) {
      replace(file, Arrays.copyOf(whole, length));
      List<Long> left =
          length > 3 * PAGE ? List.of(4L, 8L) : length > PAGE ? List.of(4L) : List.of();
      assertThat(reopened(List.of(4L, 8L, 2L)).keySet()).hasSameElementsAs(left);
    }
  }

  @Test
  void anUnknownVersionIsMadeAnew() {
    write(1);
    byte[] newer = content();
    ByteBuffer header = ByteBuffer.wrap(newer);
    header.putShort(6, (short) 2);
    header.putInt(28, Checksums.crc32c(newer, 0, 28));
    replace(newer);
    Path old = file();
    SstFilters filters = filters(FilterMode.RESIDENT);
    assertThat(filters.load(ids(List.of(1L)))).isEmpty();
    make(filters, 1);
    filters.close(true);
    assertThat(file()).isNotEqualTo(old);
    assertThat(reopened(List.of(1L))).hasSize(1);
  }

  @Test
  void ofTwoFilesTheNewerCounts() {
    write(1);
    Path older = file();
    byte[] content = content();
    files.delete(older);
    lastNumber += 5;
    write(2);
    try (AppendFile out = files.create(older)) {
      out.append(content, 0, content.length);
    }
    assertThat(reopened(List.of(1L, 2L))).containsOnlyKeys(2L);
    assertThat(file()).isNotEqualTo(older);
  }

  @Test
  void aKilledProcessLeavesAWholeFilterOrNone() {
    SstFilters first = filters(FilterMode.RESIDENT);
    SstFilter gone = make(first, 2);
    first.remove(gone);
    make(first, 4);
    List<FrozenDisk> moments = new ArrayList<>();
    disk.watch((call, moment) -> moments.add(disk.freeze()));
    make(first, 3);
    disk.watch((call, moment) -> {});
    first.close(true);
    assertThat(moments).hasSizeGreaterThan(5);
    Random random = new Random(1);
    for (FrozenDisk moment : moments) {
      for (StoreFileSystem left :
          List.of(moment.kill().fileSystem(), moment.crash(random).fileSystem())) {
        SstFilters filters =
            new SstFilters(
                left, DIRECTORY, FilterMode.RESIDENT, 10, 0, () -> ++lastNumber, () -> 5);
        filters.load(ids(List.of(3L, 4L))).forEach((sst, filter) -> requireHoldsAll(filter, sst));
        filters.close(true);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void filtersThatCannotBeWrittenAreInMemory(Fault fault) {
    for (Operation operation :
        List.of(
            Operation.CREATE,
            Operation.APPEND,
            Operation.OPEN_FOR_WRITE,
            Operation.WRITE,
            Operation.CLOSE)) {
      for (int nth = 1; nth <= 3; nth++) {
        SstFilters filters = filters(FilterMode.RESIDENT);
        faults.failOnce(operation, FaultyFileSystem.ANY_PATH, nth, fault);
        Map<Long, SstFilter> made = new TreeMap<>();
        for (long sst = 1; sst <= 4; sst++) {
          made.put(sst, make(filters, sst));
        }
        made.forEach(
            (sst, filter) -> {
              requireHoldsAll(filter, sst);
              assertThat(rejectsMost(filter)).isTrue();
            });
        requireDisjoint(
            made.entrySet().stream()
                .filter(entry -> entry.getValue().extent() != null)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        filters.close(true);
        faults.heal();
        reopened(List.of(1L, 2L, 3L, 4L));
        files.list(DIRECTORY).forEach(name -> files.delete(DIRECTORY.resolve(name)));
      }
    }
  }

  @Test
  void aFileThatCannotBeReadIsMadeAnew() {
    for (Operation operation :
        List.of(Operation.LIST, Operation.OPEN_FOR_READ, Operation.READ, Operation.CLOSE)) {
      write(1, 2);
      faults.failOnce(operation, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      SstFilters filters = filters(FilterMode.RESIDENT);
      assertThat(filters.load(ids(List.of(1L, 2L)))).as("%s", operation).isEmpty();
      faults.heal();
      make(filters, 1);
      filters.close(true);
      assertThat(reopened(List.of(1L, 2L))).containsOnlyKeys(1L);
      files.list(DIRECTORY).forEach(name -> files.delete(DIRECTORY.resolve(name)));
    }
  }

  @Test
  void aFullDiskHoldsWhatItCan() {
    disk.setCapacity(6 * PAGE);
    SstFilters filters = filters(FilterMode.RESIDENT);
    for (long sst = 1; sst <= 8; sst++) {
      SstFilter made = make(filters, sst);
      requireHoldsAll(made, sst);
      assertThat(rejectsMost(made)).isTrue();
    }
    filters.close(true);
    assertThat(damage()).isEmpty();
    assertThat(reopened(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L)))
        .containsKey(4L)
        .hasSizeLessThan(5);
  }

  @Test
  void hotFiltersStayWithinTheirBound() {
    long[] ssts = new Random(3).longs(60, 1, 1000).distinct().toArray();
    SstFilters filters = filters(FilterMode.HOT);
    Map<Long, SstFilter> all = new TreeMap<>();
    for (long sst : ssts) {
      all.put(sst, make(filters, sst));
      assertThat(filters.memoryBytes()).isLessThanOrEqualTo(CACHE_BYTES);
    }
    // What is not in the cache is read, so that none is without an answer.
    all.forEach(
        (sst, filter) -> {
          requireHoldsAll(filter, sst);
          assertThat(rejectsMost(filter)).isTrue();
          assertThat(filters.memoryBytes()).isLessThanOrEqualTo(CACHE_BYTES);
        });
    assertThat(filters.memoryBytes()).isGreaterThan(CACHE_BYTES / 2);
    all.values().forEach(filters::remove);
    assertThat(filters.memoryBytes()).isZero();
    filters.close(true);
  }

  @Test
  void aHotFilterThatCannotBeReadSaysMaybe() {
    write(1, 2);
    byte[] sound = content();
    SstFilters filters =
        new SstFilters(files, DIRECTORY, FilterMode.HOT, 10, 12_000, () -> ++lastNumber, () -> 5);
    Map<Long, SstFilter> found = filters.load(ids(List.of(1L, 2L)));
    SstFilter second = Objects.requireNonNull(found.get(2L));
    FilterExtent extent = Objects.requireNonNull(second.extent());
    try (RandomWriteFile out = files.openToGrow(file())) {
      out.write(
          new byte[] {(byte) ~sound[(int) extent.offset() + 200]}, 0, 1, extent.offset() + 200);
    }
    assertThat(rejectsMost(second)).isFalse();
    requireHoldsAll(second, 2);
    filters.close(true);
  }

  @Test
  void withoutFiltersThereIsNoFile() {
    write(1);
    SstFilters off = filters(FilterMode.OFF);
    assertThat(off.newKeyHashes()).isNull();
    assertThat(off.load(ids(List.of(1L)))).isEmpty();
    off.close(true);
    assertThat(files.list(DIRECTORY)).isEmpty();
    assertThat(reopened(List.of(1L))).isEmpty();
  }
}
