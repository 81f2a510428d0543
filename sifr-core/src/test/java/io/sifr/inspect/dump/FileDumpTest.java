package io.sifr.inspect.dump;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.format.FileKind;
import io.sifr.testing.Directories;
import io.sifr.testing.SampleStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileDumpTest {
  @TempDir Path parent;

  @Test
  void theEntriesOfAnSstAreThoseThatWereWritten() throws Exception {
    try (Store store = Store.open(parent)) {
      store.database().put(bytes("apple"), bytes("red"));
      store.database().put(bytes("banana"), bytes(""));
      store.flush();
    }
    Path sst = Directories.files(parent, FileKind.SST).get(0);

    List<DumpedRecord> pieces = dump(sst);

    assertThat(pieces)
        .extracting(DumpedRecord::kind)
        .containsExactly(
            "header", "block", "put", "put", "filter", "index", "properties", "padding", "footer");
    DumpedRecord apple = pieces.get(2);
    assertThat(apple.depth()).isEqualTo(1);
    assertThat(apple.fields())
        .containsEntry("key", bytes("apple"))
        .containsEntry("value", bytes("red"))
        .containsKey("sequence");
    assertThat(pieces.get(4).fields()).containsEntry("bitsPerKey", 10L).containsEntry("blocks", 1L);
    assertThat(pieces.get(6).fields())
        .containsEntry("entries", 2L)
        .containsEntry("smallestKey", bytes("apple"))
        .containsEntry("largestKey", bytes("banana"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SST", "WAL", "MANIFEST"})
  void thePiecesOfAFileFollowEachOther(FileKind kind) throws Exception {
    Path directory = SampleStore.killed(parent);
    for (Path file : Directories.files(directory, kind)) {
      long end = 0;
      DumpedRecord outer = null;
      for (DumpedRecord piece : dump(file)) {
        if (piece.depth() == 0) {
          // The header lies in the first block of an SST.
          assertThat(piece.offset()).describedAs("%s: %s", file, piece).isLessThanOrEqualTo(end);
          end = piece.offset() + piece.length();
          outer = piece;
        } else {
          assertThat(outer).isNotNull();
          assertThat(piece.offset()).isGreaterThanOrEqualTo(outer.offset());
          assertThat(piece.offset() + piece.length()).isLessThanOrEqualTo(end);
        }
      }
      assertThat(end).describedAs(file.toString()).isEqualTo(Files.size(file));
    }
  }

  @Test
  void theOperationsOfTheLogAreThoseThatWereWritten() throws Exception {
    Path copy;
    try (Store store = Store.open(parent.resolve("live"))) {
      Database other = store.openOrCreateDatabase("other");
      store.database().put(bytes("a"), bytes("1"), WriteOptions.SYNC);
      store.write(
          new WriteBatch()
              .put(other, bytes("b"), bytes("two"))
              .delete(store.database(), bytes("a")),
          WriteOptions.SYNC);
      copy = Directories.copy(parent.resolve("live"), parent.resolve("copy"));
    }
    Path log = Directories.files(copy, FileKind.WAL).get(0);

    List<DumpedRecord> pieces = dump(log);

    assertThat(pieces)
        .extracting(DumpedRecord::kind)
        .containsExactly("header", "record", "put", "record", "put", "delete", "unused", "mark");
    assertThat(pieces.get(2).fields())
        .containsEntry("database", 1L)
        .containsEntry("key", bytes("a"))
        .containsEntry("value", bytes("1"));
    assertThat(pieces.get(3).fields()).containsEntry("operations", 2L);
    assertThat(pieces.get(4).fields())
        .containsEntry("database", 2L)
        .containsEntry("value", bytes("two"));
    assertThat(pieces.get(5).fields()).containsEntry("key", bytes("a")).doesNotContainKey("value");
    long sequence = (long) requireNonNull(pieces.get(2).fields().get("sequence"));
    assertThat(pieces.get(4).fields()).containsEntry("sequence", sequence + 1);
    assertThat(pieces.get(5).fields()).containsEntry("sequence", sequence + 2);
    // The pieces lie where they are said to: the value is the end of its operation.
    DumpedRecord put = pieces.get(4);
    byte[] file = Files.readAllBytes(log);
    int end = (int) (put.offset() + put.length());
    assertThat(Arrays.copyOfRange(file, end - 3, end)).isEqualTo(bytes("two"));
  }

  @Test
  void theEditsOfTheManifestTellOfDatabasesAndTrees() throws Exception {
    Path directory = SampleStore.closed(parent);

    List<DumpedRecord> pieces = dump(Directories.files(directory, FileKind.MANIFEST).get(0));

    assertThat(pieces.get(0).kind()).isEqualTo("header");
    assertThat(pieces)
        .filteredOn(piece -> piece.kind().equals("database created"))
        .extracting(piece -> piece.fields().get("name"))
        .contains("default", "second");
    TreeSet<String> numbers = new TreeSet<>();
    pieces.stream()
        .filter(piece -> piece.fields().containsKey("ssts"))
        .forEach(
            piece ->
                numbers.addAll(
                    Arrays.asList(piece.fields().get("ssts").toString().split(" ", -1))));
    for (Path sst : Directories.files(directory, FileKind.SST)) {
      assertThat(numbers)
          .contains(FileKind.SST.numberOf(sst.getFileName().toString()).orElseThrow().toString());
    }
    assertThat(pieces)
        .extracting(DumpedRecord::kind)
        .contains("compaction begun", "compaction progress");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SST", "MANIFEST"})
  void whatLiesBeforeTheDamageIsShown(FileKind kind) throws Exception {
    Path directory = SampleStore.closed(parent);
    int damaged = 0;
    for (Path file : Directories.files(directory, kind)) {
      List<DumpedRecord> sound = dump(file);
      List<DumpedRecord> pieces =
          sound.stream().filter(piece -> piece.kind().matches("block|record")).toList();
      if (pieces.size() > 2) {
        assertThatDamageIsFound(file, sound, pieces.get(1));
        damaged++;
      }
    }
    assertThat(damaged).isPositive();
  }

  @Test
  void inALogWhatLiesBeforeDamageToSyncedRecordsIsShown() throws Exception {
    Path log = log(Durability.SYNC);

    List<DumpedRecord> sound = dump(log);

    assertThatDamageIsFound(log, sound, sound.get(3));
  }

  private static void assertThatDamageIsFound(
      Path file, List<DumpedRecord> sound, DumpedRecord damaged) throws Exception {
    Directories.flip(file, damaged.offset() + 16);
    List<DumpedRecord> shown = new ArrayList<>();

    assertThatThrownBy(() -> FileDump.dump(file, shown::add))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo(file);
              assertThat(e.offset()).isEqualTo(damaged.offset());
            });
    assertThat(shown)
        .extracting(DumpedRecord::offset)
        .containsExactlyElementsOf(
            sound.subList(0, sound.indexOf(damaged)).stream().map(DumpedRecord::offset).toList());
  }

  @Test
  void aGapInALogThatWasNotSyncedIsShown() throws Exception {
    Path log = log(Durability.BUFFERED);
    DumpedRecord second = dump(log).get(3);
    Directories.flip(log, second.offset() + 16);

    assertThat(dump(log))
        .extracting(DumpedRecord::kind)
        .containsExactly("header", "record", "put", "gap", "record", "put", "unused", "mark");
  }

  @Test
  void aTornEndOfTheManifestIsShown() throws Exception {
    Path directory = SampleStore.closed(parent);
    Path manifest = Directories.files(directory, FileKind.MANIFEST).get(0);
    byte[] bytes = Files.readAllBytes(manifest);
    List<DumpedRecord> sound = dump(manifest);
    DumpedRecord unused = sound.get(sound.size() - 1);
    assertThat(unused.kind()).isEqualTo("unused");
    bytes[(int) unused.offset() - 16] ^= 1;
    Files.write(manifest, bytes);

    List<DumpedRecord> pieces = dump(manifest);

    DumpedRecord last = pieces.get(pieces.size() - 1);
    assertThat(last.kind()).isEqualTo("torn");
    assertThat(last.offset()).isEqualTo(unused.offset() - 16);
    assertThat(last.offset() + last.length()).isEqualTo(bytes.length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"CURRENT", "LOCK", "7.sst", "000000000007.sst.bak", "notes.txt"})
  void otherFilesAreRefused(String name) throws Exception {
    Path file = Files.createFile(parent.resolve(name));

    assertThatThrownBy(() -> dump(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }

  @Test
  void aMissingFileIsAnIoErrorAndAnEmptyOneIsDamaged() throws Exception {
    Path missing = FileKind.SST.path(parent, 1);
    Path empty = Files.createFile(FileKind.WAL.path(parent, 2));

    assertThatThrownBy(() -> dump(missing)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> dump(empty)).isInstanceOf(CorruptionException.class);
  }

  /** A log of three puts. */
  private Path log(Durability durability) throws IOException {
    Path live = parent.resolve("live");
    try (Store store = Store.open(live)) {
      for (int i = 0; i < 3; i++) {
        store.database().put(bytes("k" + i), bytes("v"), WriteOptions.of(durability));
      }
      Path copy = Directories.copy(live, parent.resolve("copy"));
      return Directories.files(copy, FileKind.WAL).get(0);
    }
  }

  private static List<DumpedRecord> dump(Path file) {
    List<DumpedRecord> pieces = new ArrayList<>();
    FileDump.dump(file, pieces::add);
    return pieces;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }
}
