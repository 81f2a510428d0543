package io.sifr.leveldb.importer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sifr.Store;
import io.sifr.importer.SourceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBComparator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.impl.Iq80DBFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefusalsTest {
  private static final SourceOptions STRICT = new SourceOptions(false, false, 1 << 20);

  @TempDir Path directory;

  private Path source() {
    return directory.resolve("source");
  }

  private void assertRefused(String reason) throws IOException {
    Path target = directory.resolve("parent").resolve("target");
    Imported imported = Imported.of(source(), target);
    assertThat(imported.error())
        .isEqualTo(
            "sifr-import-leveldb: "
                + source()
                + " cannot be imported: "
                + reason
                + System.lineSeparator());
    assertThat(imported.exitCode()).isEqualTo(4);
    // Nothing was begun.
    assertThat(target.getParent()).doesNotExist();
  }

  @Test
  void aRocksDbDirectoryIsNamed() throws IOException {
    Golden.copy("cpp", source());
    Files.createFile(source().resolve("OPTIONS-000007"));
    assertRefused(
        "it is a RocksDB directory, by its file OPTIONS-000007; sifr-import-rocksdb imports it");
  }

  @Test
  void aSifrStoreIsNamed() throws IOException {
    Store.open(source()).close();
    assertRefused("it is a Sifr store already");
  }

  @Test
  void whatIsNotThereIsNamed() throws IOException {
    assertRefused("there is no such directory");
    Files.createDirectory(source());
    assertRefused("it is no LevelDB directory: it has no file CURRENT");
  }

  @Test
  void currentNamesAManifestThatIsThere() throws IOException {
    Golden.copy("cpp", source());
    Path current = source().resolve("CURRENT");
    Files.writeString(current, "MANIFEST-000007\r\n");
    assertRefused(
        current
            + " ends with CR LF, and LevelDB reads it only with LF: an editor, or a copy as text, has"
            + " changed it, and perhaps other files");
    Files.writeString(current, "MANIFEST-000008\n");
    assertRefused(current + " names MANIFEST-000008, which is not there");
    for (String wrong : List.of("", "\n", "MANIFEST-000007", "MANIFEST-\n", "manifest-000007\n")) {
      Files.writeString(current, wrong);
      assertRefused(
          current
              + " is damaged at offset 0: it does not name a MANIFEST and end with a line feed");
    }
    Files.write(current, new byte[1 << 20]);
    assertRefused(current + " has 1048576 bytes, which is too much for a name");
  }

  /** Descending, under a name of its own. */
  private static final class Descending implements DBComparator {
    @Override
    public String name() {
      return "reverse";
    }

    @Override
    public byte[] findShortestSeparator(byte[] start, byte[] limit) {
      return start;
    }

    @Override
    public byte[] findShortSuccessor(byte[] key) {
      return key;
    }

    @Override
    public int compare(byte[] a, byte[] b) {
      return new String(b, UTF_8).compareTo(new String(a, UTF_8));
    }
  }

  @Test
  void anotherOrderIsRefusedByItsNameUnlessThatIsAllowed() throws IOException {
    Options options = new Options().comparator(new Descending()).writeBufferSize(64 << 10);
    List<String> expected = new ArrayList<>();
    try (DB db = Iq80DBFactory.factory.open(source().toFile(), options)) {
      for (int round = 0; round < 3; round++) {
        expected.clear();
        for (int i = 1000; i < 5000; i++) {
          String key = "key" + i;
          if (i % 3 == round) {
            db.delete(key.getBytes(UTF_8));
          } else {
            db.put(key.getBytes(UTF_8), ("value" + i * round).getBytes(UTF_8));
            expected.add(key + " value" + i * round);
          }
        }
      }
    }
    assertRefused(
        "its keys are in the order of the comparator reverse, and a store has them in the order of"
            + " their bytes; --ignore-comparator imports them in that order");

    Path target = directory.resolve("target");
    assertThat(Imported.of(source(), target, "--ignore-comparator").error()).isEmpty();
    List<String> entries = new ArrayList<>();
    try (Store store = Store.open(target);
        var cursor = store.database().cursor()) {
      while (cursor.next()) {
        entries.add(new String(cursor.key(), UTF_8) + " " + new String(cursor.value(), UTF_8));
      }
    }
    Collections.sort(expected);
    assertThat(entries).isEqualTo(expected);
  }

  @Test
  void aKeyThatIsTooLongIsDescribed() throws IOException {
    byte[] key = "a rather long key ".repeat(5000).getBytes(UTF_8);
    try (DB db = Iq80DBFactory.factory.open(source().toFile(), new Options())) {
      db.put(key, key);
    }
    Imported imported = Imported.of(source(), directory.resolve("target"));
    assertThat(imported.error())
        .contains(
            "cannot be imported: the key of 90000 bytes that begins with"
                + " 6120726174686572206c6f6e67206b65 is too long: a key of a store has up to 65536 bytes");
    assertThat(directory).isDirectoryNotContaining("glob:**target*");

    try (DB db = Iq80DBFactory.factory.open(source().toFile(), new Options())) {
      db.delete(key);
    }
    assertThat(Imported.of(source(), directory.resolve("target")).error()).isEmpty();
  }

  @Test
  void aSourceThatIsOpenIsRefused() throws IOException {
    try (DB db = Iq80DBFactory.factory.open(source().toFile(), new Options())) {
      db.put(new byte[1], new byte[1]);
      assertRefused("it is open in this process");
    }
  }

  /** As the ports in Go and Rust lock it. */
  @Test
  void aLockByFlockIsSeen() throws IOException, InterruptedException {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/flock")) && Files.isReadable(Path.of("/proc/locks")));
    Golden.copy("goleveldb", source());
    Path lock = Files.createFile(source().resolve("LOCK"));
    Process holder =
        new ProcessBuilder("/usr/bin/flock", lock.toString(), "sh", "-c", "echo; cat").start();
    try {
      assertThat(holder.getInputStream().read()).isEqualTo('\n');
      Imported imported = Imported.of(source(), directory.resolve("target"));
      assertThat(imported.error()).contains("cannot be imported: it is open in the process ");
    } finally {
      holder.getOutputStream().close();
      holder.waitFor();
    }
    assertThat(Imported.of(source(), directory.resolve("target")).error()).isEmpty();
  }

  @Test
  void aChangeIsNoticed() throws IOException {
    Golden.copy("cpp", source());
    try (LevelDbSource source = LevelDbSource.open(source(), Store.DEFAULT_DATABASE, STRICT)) {
      source.requireUnchanged();
      Path other = Files.createFile(source().resolve("000100.log"));
      assertThatThrownBy(source::requireUnchanged)
          .isInstanceOf(SourceException.class)
          .hasMessage("it was changed while it was read: 000100.log; is it open?");
      Files.delete(other);
      source.requireUnchanged();
      Files.writeString(source().resolve("CURRENT"), "MANIFEST-000009\n");
      assertThatThrownBy(source::requireUnchanged).hasMessageContaining("read: CURRENT;");
    }
  }
}
