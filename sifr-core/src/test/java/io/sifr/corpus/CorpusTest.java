package io.sifr.corpus;

import static io.sifr.corpus.CorpusStore.BACKUP;
import static io.sifr.corpus.CorpusStore.STORE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.dump.FileDump;
import io.sifr.internal.format.FileKind;
import io.sifr.testing.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each store of the corpus, of each version of the formats that there has been, is read and gone on
 * with. Nothing is ever taken out of the corpus; what it was written with is in {@link
 * CorpusStore}.
 */
class CorpusTest {
  private static final Path CORPUS = Path.of("src", "test", "resources", "corpus");
  private static final String CONTENT = "content.txt";

  @TempDir Path directory;

  /**
   * A store of the corpus.
   *
   * @param version the version of the formats
   */
  record Kept(int version, CorpusStore store) {
    Path zip() {
      return CORPUS
          .resolve(Integer.toString(version))
          .resolve(store.name().toLowerCase(Locale.ROOT) + ".zip");
    }
  }

  static List<Kept> kept() {
    List<Kept> kept = new ArrayList<>();
    for (int version = 1; version <= FileKind.SST.formatVersion(); version++) {
      for (CorpusStore store : CorpusStore.values()) {
        kept.add(new Kept(version, store));
      }
    }
    return kept;
  }

  @ParameterizedTest
  @MethodSource("kept")
  void itIsReadAndGoneOnWith(Kept kept) throws IOException {
    Path place = unpacked(kept);
    Map<String, Map<String, String>> content = Described.read(directory.resolve(CONTENT));
    CorpusStore form = kept.store();

    try (Store store = builder(form, place).openReadOnly()) {
      assertThat(CorpusStore.content(store)).isEqualTo(content);
    }
    try (Store store = builder(form, place).open()) {
      assertThat(CorpusStore.content(store)).isEqualTo(content);
      for (Map.Entry<String, Map<String, String>> each : content.entrySet()) {
        Database database = store.database(each.getKey());
        database.put("zz new".getBytes(UTF_8), new byte[] {1});
        each.getValue().put(Described.bytes("zz new".getBytes(UTF_8)), "01");
        store.flush();
        database.compact();
      }
      assertThat(CorpusStore.content(store)).isEqualTo(content);
    }
    try (Store store = builder(form, place).open()) {
      assertThat(CorpusStore.content(store)).isEqualTo(content);
    }
  }

  /** The directory of the store. */
  private Path unpacked(Kept kept) {
    Zip.unpack(kept.zip(), directory);
    Path place = directory.resolve(STORE);
    if (kept.store() == CorpusStore.DEVICES) {
      // The directories beside it were moved with it, which is noted when it is opened.
      builder(kept.store(), place).open().close();
    }
    return place;
  }

  private Store.Builder builder(CorpusStore form, Path place) {
    return form.builder(directory, place).clock(InstantSource.fixed(CorpusStore.READ));
  }

  @ParameterizedTest
  @MethodSource("kept")
  void itIsFoundIntact(Kept kept) {
    Path place = unpacked(kept);
    assertThat(StoreCheck.run(place, kept.store().keys(), CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void itsPointsAreRestored() throws IOException {
    for (int version = 1; version <= FileKind.SST.formatVersion(); version++) {
      Path place = Files.createDirectory(directory.resolve("version-" + version));
      Zip.unpack(new Kept(version, CorpusStore.BACKED_UP).zip(), place);
      Backups backups = Backups.in(place.resolve(BACKUP));
      assertThat(backups.numbers()).containsExactly(1L, 2L, 3L);
      for (long number : backups.numbers()) {
        Path restored = place.resolve("restored-" + number);
        backups.restore(number, restored);
        try (Store store = builder(CorpusStore.BACKED_UP, restored).open()) {
          Map<String, Map<String, String>> content = CorpusStore.content(store);
          assertThat(content.get("default")).hasSize(50 + (int) number * 100);
          assertThat(content.get("apart")).hasSize((int) number);
          if (number == 3) {
            assertThat(content).isEqualTo(Described.read(place.resolve(CONTENT)));
          }
        }
      }
    }
  }

  /** So that nothing of the formats is left out. */
  @Test
  void itHasEachKindOfFileAndOfEdit() throws IOException {
    Set<FileKind> kinds = EnumSet.noneOf(FileKind.class);
    Set<String> edits = new TreeSet<>();
    for (CorpusStore form : CorpusStore.values()) {
      Path place = Files.createDirectory(directory.resolve(form.name()));
      Zip.unpack(new Kept(FileKind.SST.formatVersion(), form).zip(), place);
      for (FileKind kind : FileKind.values()) {
        for (Path file : Directories.files(place.resolve(STORE), kind)) {
          kinds.add(kind);
          if (kind == FileKind.MANIFEST) {
            FileDump.dump(file, form.keys(), piece -> edits.add(piece.kind()));
          }
        }
      }
    }
    assertThat(kinds).containsExactlyInAnyOrder(FileKind.values());
    assertThat(edits)
        .contains(
            "compaction begun",
            "compaction ended",
            "compaction progress",
            "database created",
            "database created event",
            "database dropped",
            "database dropped event",
            "database ids used",
            "database options",
            "flushed to",
            "log closed",
            "log retained",
            "log start",
            "numbers reserved",
            "segment retained",
            "segments given back",
            "sequences reserved",
            "totals",
            "tree added",
            "trees moved");
  }

  /**
   * Writes the corpus anew, in the version that this build writes: {@code mvn -pl sifr-core test
   * -Dtest=CorpusTest#write -Dsifr.corpus.write=true}. Not for a version that has been released.
   */
  @Test
  @EnabledIfSystemProperty(named = "sifr.corpus.write", matches = "true")
  void write() throws IOException {
    for (CorpusStore form : CorpusStore.values()) {
      Path place = Files.createDirectory(directory.resolve(form.name()));
      form.write(place);
      Path zip = new Kept(FileKind.SST.formatVersion(), form).zip();
      Files.createDirectories(zip.resolveSibling("."));
      Files.deleteIfExists(zip);
      Described.write(content(form, place), place.resolve(CONTENT));
      Zip.pack(place, zip);
      System.out.println(zip + " has " + Files.size(zip) + " bytes");
    }
  }

  private static Map<String, Map<String, String>> content(CorpusStore form, Path place) {
    try (Store store =
        form.builder(place, place.resolve(STORE))
            .clock(InstantSource.fixed(CorpusStore.READ))
            .openReadOnly()) {
      return CorpusStore.content(store);
    }
  }
}
