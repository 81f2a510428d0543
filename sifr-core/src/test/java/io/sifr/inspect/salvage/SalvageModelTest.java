package io.sifr.inspect.salvage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.check.TestChecks;
import io.sifr.inspect.salvage.PhysicalEntries.Version;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Key;
import io.sifr.internal.util.KeyText;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.SearchLength;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is rescued of drawn stores with drawn damage is the newest version of each key among those
 * whose block or log record is whole, and nothing else; and what is not whole is listed.
 *
 * <p>A longer run: {@code -Dsifr.salvage.rounds=2000}; another first seed: {@code
 * -Dsifr.salvage.seed=…}.
 */
@Tag("damage")
class SalvageModelTest {
  private static final int ROUNDS =
      Integer.getInteger("sifr.salvage.rounds", SearchLength.of(30, 60));
  private static final long FIRST_SEED = Long.getLong("sifr.salvage.seed", 1);
  private static final int ROUNDS_A_STORE = 15;

  /** Ids as databases are created by {@link DrawnStore}; the last one is dropped again. */
  private static final List<String> NAMES_BY_ID =
      List.of("", "default", "second", "third", "dropped");

  private static final int DROPPED_ID = 4;

  @TempDir Path temporary;

  @Test
  void whatIsWholeIsRescuedAndWhatIsNotIsListed() throws IOException {
    int done = 0;
    for (long seed = FIRST_SEED; done < ROUNDS; seed++) {
      Random random = new Random(seed);
      Path parent = Files.createDirectory(temporary.resolve("seed-" + seed));
      DrawnStore drawn =
          seed % 2 == 0 ? DrawnStore.closed(random, parent) : DrawnStore.killed(random, parent);
      Sound sound = new Sound(drawn);
      for (int i = 0; i < ROUNDS_A_STORE && done < ROUNDS; i++, done++) {
        StoreDamage damage = new StoreDamage(drawn.directory(), random);
        for (int n = random.nextInt(4); n > 0; n--) {
          damage.any();
        }
        Path source = parent.resolve("damaged-" + i);
        Path target = parent.resolve("target-" + i);
        damage.copyTo(source);
        try {
          new Round(sound, damage, source, target).run();
        } catch (RuntimeException | Error e) {
          throw new AssertionError("seed " + seed + ", round " + i + ": " + damage, e);
        }
      }
    }
  }

  /** A store before it is damaged. */
  private static final class Sound {
    private final DrawnStore drawn;
    private final List<Version> versions;
    private final Map<String, byte[]> files = new TreeMap<>();
    private final Map<Integer, Long> flushed = new TreeMap<>();

    /** What the trees hold of each SST: a running merge may have come through parts of it. */
    private final Map<String, List<SstSlice>> slices = new TreeMap<>();

    private final Map<Integer, NavigableMap<byte[], byte[]>> states = new TreeMap<>();

    Sound(DrawnStore drawn) throws IOException {
      this.drawn = drawn;
      versions = PhysicalEntries.of(drawn.directory());
      for (Path file : Directories.files(drawn.directory())) {
        files.put(String.valueOf(file.getFileName()), Files.readAllBytes(file));
      }
      Catalog catalog = Manifest.recover(DrawnStore.FILES, drawn.directory()).catalog();
      for (Forest forest : catalog.forests()) {
        flushed.put(forest.databaseId(), forest.flushedSequence());
        states.put(forest.databaseId(), drawn.stateAfter(drawn.writes(), forest.name()));
        for (LogicalTree tree : forest.byPriority()) {
          for (SstSlice slice : tree.slices()) {
            String file = String.format("%012d.sst", slice.sst().number());
            slices.computeIfAbsent(file, name -> new ArrayList<>()).add(slice);
          }
        }
      }
    }

    byte[] file(String name) {
      return files.getOrDefault(name, new byte[0]);
    }

    NavigableSet<String> segments() {
      NavigableSet<String> segments = new TreeSet<>(files.keySet());
      segments.removeIf(name -> !name.endsWith(".wal"));
      return segments;
    }

    /** Whether the log has to be asked for it, or no merge has come through its key yet. */
    boolean isNeeded(Version version) {
      return version.isInLog()
          ? version.sequence() > flushed.getOrDefault(version.database(), Long.MAX_VALUE)
          : slices.getOrDefault(version.file(), List.of()).stream()
              .anyMatch(slice -> holds(slice, version.key()));
    }

    private static boolean holds(SstSlice slice, byte[] key) {
      return Arrays.compareUnsigned(slice.smallestKey(), key) <= 0
          && Arrays.compareUnsigned(slice.largestKey(), key) >= 0;
    }
  }

  /** One damaged copy. */
  private static final class Round {
    private final Sound sound;
    private final StoreDamage damage;
    private final Path source;
    private final Path target;

    /** Whether the end of the log is lost and nothing tells of it. */
    private boolean isLogCut;

    Round(Sound sound, StoreDamage damage, Path source, Path target) {
      this.sound = sound;
      this.damage = damage;
      this.source = source;
      this.target = target;
    }

    void run() throws IOException {
      Map<String, byte[]> before = contents(source);
      if (Directories.files(source).stream()
          .noneMatch(f -> f.toString().matches(".*\\d{12}\\..*"))) {
        return; // nothing is left of the store
      }
      SalvageReport report = TestSalvages.run(DrawnStore.FILES, source, target);

      assertThat(contents(source).keySet()).isEqualTo(before.keySet());
      contents(source).forEach((name, bytes) -> assertThat(bytes).isEqualTo(before.get(name)));
      assertThat(TestChecks.run(DrawnStore.FILES, target).findings()).isEmpty();

      Set<String> damaged = new HashSet<>();
      for (Map.Entry<String, byte[]> file : sound.files.entrySet()) {
        if (!Arrays.equals(file.getValue(), damage.now(file.getKey()))) {
          damaged.add(file.getKey());
        }
      }
      if (damaged.isEmpty()) {
        assertThat(report.lost()).isEmpty();
        assertThat(report.notes()).isEmpty();
        assertThat(report.isClean()).isTrue();
      }
      for (LostPiece piece : report.lost()) {
        String name = String.valueOf(piece.finding().file().getFileName());
        // Half a manifest tells of files that were merged since.
        boolean isOutdated = damage.isManifestHit() && !sound.files.containsKey(name);
        assertThat(damaged.contains(name) || isOutdated).describedAs(piece.toString()).isTrue();
      }
      checkLost(report);
      compare(report);
    }

    private void compare(SalvageReport report) throws IOException {
      try (Store store = TestStores.open(target, StoreOptions.DEFAULT, DrawnStore.FILES)) {
        assertThat(report.databases())
            .extracting(SalvagedDatabase::name)
            .containsExactlyElementsOf(store.databaseNames());
        Set<String> alone = new HashSet<>();
        for (SalvagedDatabase database : report.databases()) {
          if (database.name().startsWith("salvaged-sst-")) {
            alone.add(String.format("%012d.sst", Long.parseLong(database.name().substring(13))));
          }
        }
        for (SalvagedDatabase database : report.databases()) {
          NavigableMap<byte[], byte[]> content = content(store, database.name());
          assertThat(content).hasSize((int) database.entries());
          compare(database.name(), content, alone, report);
        }
        if (!damage.isManifestHit()) {
          assertThat(store.databaseNames())
              .containsExactlyInAnyOrderElementsOf(DrawnStore.DATABASES);
        }
      }
    }

    private void compare(
        String name, NavigableMap<byte[], byte[]> content, Set<String> alone, SalvageReport report)
        throws IOException {
      String ownSst =
          name.startsWith("salvaged-sst-")
              ? String.format("%012d.sst", Long.parseLong(name.substring(13)))
              : null;
      int id = id(name);
      Predicate<Version> inDatabase =
          ownSst != null
              ? version -> version.file().equals(ownSst)
              : version -> version.database() == id && !alone.contains(version.file());
      Predicate<Version> isLive =
          version -> version.isInLog() || sound.slices.containsKey(version.file());
      NavigableMap<byte[], Version> needed =
          newest(inDatabase.and(sound::isNeeded), inDatabase.and(isLive));
      // Also what files that nobody needs may have more of.
      List<NavigableMap<byte[], Version>> others =
          List.of(
              newest(inDatabase, inDatabase.and(isLive)),
              newest(inDatabase, inDatabase),
              newest(inDatabase.and(sound::isNeeded), inDatabase));
      Set<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
      keys.addAll(content.keySet());
      others.forEach(all -> keys.addAll(all.keySet()));
      keys.addAll(sound.drawn.keysEverWritten());
      for (byte[] key : keys) {
        byte[] rescued = content.get(key);
        boolean isExpected = Arrays.equals(rescued, value(needed.get(key)));
        // Where the forest is damaged, or nothing tells how far it goes, the log helps out.
        boolean mayBeFromLog = damage.isManifestHit() || isLost(report, name, key);
        boolean isAsInOther =
            others.stream().anyMatch(all -> Arrays.equals(rescued, value(all.get(key))));
        if (!isExpected && !(mayBeFromLog && isAsInOther)) {
          throw new AssertionError(
              "database "
                  + name
                  + ": "
                  + KeyText.of(key)
                  + " is "
                  + text(rescued)
                  + ", not "
                  + text(value(needed.get(key)))
                  + " or "
                  + others.stream().map(all -> text(value(all.get(key)))).toList());
        }
        checkIsCertain(report, name, id, key, rescued);
      }
    }

    /** Outside of what is listed everything is as it was. */
    private void checkIsCertain(
        SalvageReport report, String name, int id, byte[] key, byte @Nullable [] rescued) {
      NavigableMap<byte[], byte[]> state = sound.states.get(id);
      if (damage.isManifestHit() || state == null) {
        return;
      }
      if (isLost(report, name, key)) {
        checkIsCounted(report, name, key, rescued, state.get(key));
        return;
      }
      boolean logIsLost =
          isLogCut || report.lost().stream().anyMatch(piece -> piece.database() == null);
      if (!logIsLost && !Arrays.equals(rescued, state.get(key))) {
        throw new AssertionError(
            "database "
                + name
                + ": "
                + KeyText.of(key)
                + " is "
                + text(rescued)
                + " and in no lost piece, but was "
                + text(state.get(key)));
      }
    }

    /** What is out of date for the sake of a piece of an SST is counted with the piece. */
    private void checkIsCounted(
        SalvageReport report,
        String name,
        byte[] key,
        byte @Nullable [] rescued,
        byte @Nullable [] original) {
      if (rescued == null
          || Arrays.equals(rescued, original)
          || isLogCut
          || report.lost().stream().anyMatch(piece -> piece.database() == null)) {
        return;
      }
      boolean isCounted =
          report.lost().stream()
              .anyMatch(
                  piece ->
                      name.equals(piece.database())
                          && contains(piece, key)
                          && piece.doubtful() > 0);
      if (!isCounted) {
        throw new AssertionError(
            "database "
                + name
                + ": "
                + KeyText.of(key)
                + " is out of date, and not counted: "
                + report.lost());
      }
    }

    /** The newest version of each key, unless a range delete hides it. */
    private NavigableMap<byte[], Version> newest(
        Predicate<Version> chosen, Predicate<Version> chosenRanges) throws IOException {
      NavigableMap<byte[], Version> newest = new TreeMap<>(Arrays::compareUnsigned);
      List<Version> ranges = new ArrayList<>();
      for (Version version : sound.versions) {
        if (version.range() != null) {
          if (chosenRanges.test(version) && isWhole(version)) {
            ranges.add(version);
          }
        } else if (chosen.test(version) && isWhole(version)) {
          newest.merge(version.key(), version, (a, b) -> a.sequence() > b.sequence() ? a : b);
        }
      }
      newest.values().removeIf(version -> ranges.stream().anyMatch(range -> range.hides(version)));
      return newest;
    }

    private boolean isWhole(Version version) throws IOException {
      return PhysicalEntries.isWhole(
          version, sound.file(version.file()), damage.now(version.file()));
    }

    /** Each version that was needed and is not whole lies in a piece that is listed. */
    private void checkLost(SalvageReport report) throws IOException {
      Map<String, Integer> lostInFile = new TreeMap<>();
      // Those too that lie in an SST still, but below the frontier of a merge.
      Map<String, Integer> gone = new TreeMap<>();
      for (Version version : sound.versions) {
        if (version.database() == DROPPED_ID || isWhole(version)) {
          continue;
        }
        int entries = version.range() == null ? 1 : 0;
        gone.merge(version.file(), entries, Integer::sum);
        if (!sound.isNeeded(version)) {
          continue;
        }
        lostInFile.merge(version.file(), entries, Integer::sum);
        boolean isListed = report.lost().stream().anyMatch(piece -> isIn(piece, version));
        boolean isForgotten = isForgotten(version);
        isLogCut |= isForgotten && version.isInLog();
        if (!isListed && !isForgotten) {
          throw new AssertionError(
              "a lost version of "
                  + KeyText.of(version.key())
                  + " in "
                  + version.file()
                  + " at "
                  + version.offset()
                  + " is not listed: "
                  + report.lost());
        }
      }
      if (!damage.isManifestHit()) {
        for (Map.Entry<String, Integer> file : lostInFile.entrySet()) {
          List<LostPiece> pieces = new ArrayList<>(report.lost());
          pieces.removeIf(piece -> !piece.finding().file().endsWith(file.getKey()));
          if (file.getValue() > 0 && pieces.size() == 1 && pieces.get(0).database() != null) {
            assertThat(pieces.get(0).entries())
                .isBetween((long) file.getValue(), (long) gone.getOrDefault(file.getKey(), 0));
          }
        }
      }
    }

    /** Whether nothing is left that tells of it. */
    private boolean isForgotten(Version version) throws IOException {
      byte[] now = damage.now(version.file());
      if (now == null) {
        // A store without any log was closed.
        return damage.isManifestHit()
            || (version.isInLog()
                && (Directories.files(source, FileKind.WAL).isEmpty()
                    || isSegmentBeforeDamaged(version.file())));
      }
      // Damage that reaches from the last records of a log to the mark looks like a torn end.
      byte[] before = sound.file(version.file());
      int mark = before.length - 8;
      return version.isInLog()
          && (now.length < before.length
              || !Arrays.equals(before, mark, mark + 8, now, mark, mark + 8));
    }

    /** Then the seal may be lost that named a segment. */
    private boolean isSegmentBeforeDamaged(String segment) throws IOException {
      String before = sound.segments().lower(segment);
      return before != null && !Arrays.equals(sound.file(before), damage.now(before));
    }

    private boolean isIn(LostPiece piece, Version version) {
      if (!piece.finding().file().endsWith(version.file())) {
        return false;
      }
      boolean isThere =
          piece.bytes() == 0
              || (piece.finding().offset() < version.end()
                  && piece.finding().offset() + piece.bytes() > version.offset());
      if (version.isInLog()) {
        return piece.database() == null && isThere;
      }
      // Without a manifest, perhaps nothing tells how long the file was, or whose.
      return damage.isManifestHit()
          || (isThere && piece.database() != null && contains(piece, version.key()));
    }

    private static boolean isLost(SalvageReport report, String database, byte[] key) {
      return report.lost().stream()
          .anyMatch(piece -> database.equals(piece.database()) && contains(piece, key));
    }

    private static boolean contains(LostPiece piece, byte[] key) {
      return Key.closed(piece.firstKey(), piece.lastKey()).contains(Key.of(key));
    }

    private static int id(String name) {
      int known = NAMES_BY_ID.indexOf(name);
      if (known > 0) {
        return known;
      }
      return name.matches("salvaged-\\d+") ? Integer.parseInt(name.substring(9)) : -1;
    }
  }

  private static byte @Nullable [] value(@Nullable Version version) {
    return version == null ? null : version.value();
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "nothing" : value.length + " bytes with hash " + Arrays.hashCode(value);
  }

  private static NavigableMap<byte[], byte[]> content(Store store, String database) {
    NavigableMap<byte[], byte[]> content = new TreeMap<>(Arrays::compareUnsigned);
    try (Cursor cursor = store.database(database).cursor()) {
      while (cursor.next()) {
        content.put(cursor.key(), cursor.value());
      }
    }
    return content;
  }

  private static Map<String, byte[]> contents(Path directory) throws IOException {
    Map<String, byte[]> contents = new TreeMap<>();
    for (Path file : Directories.files(directory)) {
      contents.put(String.valueOf(file.getFileName()), Files.readAllBytes(file));
    }
    return contents;
  }
}
