package io.sifr.behaviour;

import static io.sifr.behaviour.Secrets.FIRST;
import static io.sifr.behaviour.Secrets.KEYS;
import static io.sifr.behaviour.Secrets.ROTATED;
import static io.sifr.behaviour.Secrets.SECOND;
import static io.sifr.behaviour.Secrets.SECRETS;
import static io.sifr.behaviour.Secrets.assertHoldsAll;
import static io.sifr.behaviour.Secrets.fill;
import static io.sifr.behaviour.Secrets.found;
import static io.sifr.behaviour.Secrets.secretValue;
import static io.sifr.behaviour.SmallStores.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.config.IngestOptions;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.EncryptionKeyException;
import io.sifr.error.SifrException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.dump.FileDump;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.spi.EncryptionKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Of an encrypted store no file tells anything but to who has the keys. */
class EncryptedStoreTest {
  @TempDir private Path parent;

  @Test
  void nothingOfKeysValuesAndNamesIsInAnyFile() throws IOException {
    Path plain = parent.resolve("plain");
    Path encrypted = parent.resolve("encrypted");
    fill(plain, EncryptionKeys.NONE);
    fill(encrypted, KEYS);
    for (String kind : List.of("", ".copy", ".backup")) {
      Set<String> told = found(parent.resolve("plain" + kind));
      for (int i = 0; i < SECRETS; i++) {
        assertThat(told).contains(secretValue(i).substring(0, 17));
      }
      assertThat(told).contains("secret-database-1", "secret-database-2");
      assertThat(told.toString()).contains("secret-range-1").contains("secret-loaded");
      assertThat(found(parent.resolve("encrypted" + kind))).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void allOfItIsRead(ReadMode mode) {
    Path directory = parent.resolve("store");
    fill(directory, KEYS);
    StoreOptions options = SmallStores.options().readMode(mode).build();
    try (Store store = Secrets.builder(directory, KEYS).options(options).open()) {
      assertHoldsAll(store);
      store.database("secret-database-1").compact();
      store.database("secret-database-2").compact();
      assertHoldsAll(store);
    }
    try (Store store = Secrets.builder(directory, KEYS).openReadOnly()) {
      assertHoldsAll(store);
    }
    assertThat(StoreCheck.run(directory, KEYS, CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void aMissingKeyAndAWrongOneAreTold() throws IOException {
    Path directory = parent.resolve("store");
    fill(directory, KEYS);
    EncryptionKeys other = EncryptionKeys.of(SECOND);
    for (EncryptionKeys keys : List.of(EncryptionKeys.NONE, other)) {
      boolean isWrong = keys.equals(other);
      List<Runnable> uses = new ArrayList<>();
      uses.add(() -> Secrets.open(directory, keys).close());
      uses.add(() -> Secrets.builder(directory, keys).openReadOnly().close());
      uses.add(() -> StoreCheck.run(directory, keys, CheckProgress.NONE));
      uses.add(() -> Salvage.run(directory, parent.resolve("new"), keys, CheckProgress.NONE));
      for (String kind : List.of(".sst", ".values", ".wal", ".manifest")) {
        Path file = SmallStores.files(directory, kind).get(0);
        uses.add(() -> FileDump.dump(file, keys, piece -> {}));
      }
      for (int i = 0; i < uses.size(); i++) {
        Runnable use = uses.get(i);
        assertThatExceptionOfType(EncryptionKeyException.class)
            .as("use %d, %s", i, keys)
            .isThrownBy(use::run)
            .satisfies(e -> assertThat(e.isWrong()).isEqualTo(isWrong))
            .satisfies(e -> assertThat(e.number()).isEqualTo(1))
            .withMessageContaining(isWrong ? "is another one" : "was not given");
      }
    }
    try (Store store = Secrets.open(directory, KEYS)) { // nobody has changed anything
      assertHoldsAll(store);
    }
  }

  @Test
  void keysOfTheWrongFormAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EncryptionKeys.of(new byte[16]))
        .withMessage("key 1 has 16 bytes; a key has 32");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EncryptionKeys.of(Map.of(0, FIRST), 0))
        .withMessage("key number 0; allowed: 1 to 65535");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EncryptionKeys.of(Map.of(1, FIRST), 2))
        .withMessage("the current key is number 2, and there are keys [1]");
    EncryptionKeys bad =
        new EncryptionKeys() {
          @Override
          public int current() {
            return 70_000;
          }

          @Override
          public byte[] key(int number) {
            return FIRST;
          }
        };
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Secrets.open(parent.resolve("store"), bad))
        .withMessage(
            "the current key is number 70000; allowed: 1 to 65535, or 0 for no encryption");
  }

  @Test
  void whatIsNotEncryptedIsNotIngested() {
    Path plain = parent.resolve("plain.sst");
    Path encrypted = parent.resolve("encrypted.sst");
    StoreOptions options = StoreOptions.DEFAULT;
    try (SstFileWriter writer = SstFileWriter.create(plain, options);
        SstFileWriter other = SstFileWriter.create(encrypted, options, KEYS)) {
      var unused = writer.put(bytes("a"), bytes("1")).finish();
      var unusedToo = other.put(bytes("b"), bytes("2")).finish();
    }
    try (Store store = Secrets.open(parent.resolve("store"), ROTATED)) {
      Database database = store.database();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.ingest(Map.of(database, List.of(plain)), IngestOptions.DEFAULT))
          .withMessageContaining("plain.sst is not encrypted, and the store is");
      store.ingest(Map.of(database, List.of(encrypted)), IngestOptions.DEFAULT);
      assertThat(database.get(bytes("b"))).isEqualTo(bytes("2"));
      assertThat(database.get(bytes("a"))).isNull();
    }
    try (Store store = Secrets.open(parent.resolve("other"), EncryptionKeys.NONE)) {
      assertThatExceptionOfType(EncryptionKeyException.class)
          .isThrownBy(
              () ->
                  store.ingest(
                      Map.of(store.database(), List.of(encrypted)), IngestOptions.DEFAULT));
    }
  }

  @Test
  void copiesAndWhatIsSavedAreEncrypted() throws IOException {
    Path directory = parent.resolve("store");
    fill(directory, KEYS);
    Backups.in(parent.resolve("store.backup")).restore(1, parent.resolve("restored"));
    var unused = Salvage.run(directory, parent.resolve("salvaged"), ROTATED, CheckProgress.NONE);
    for (String name : List.of("store.copy", "restored", "salvaged")) {
      Path copy = parent.resolve(name);
      assertThat(found(copy)).as(name).isEmpty();
      assertThatExceptionOfType(SifrException.class)
          .isThrownBy(() -> Secrets.open(copy, EncryptionKeys.NONE));
      try (Store store = Secrets.open(copy, ROTATED)) {
        assertHoldsAll(store);
      }
    }
  }

  @Test
  void aStoreWithoutKeysHasTheSameBytes() throws IOException {
    Path without = parent.resolve("without");
    Path with = parent.resolve("with");
    for (Path directory : List.of(without, with)) {
      // All is flushed once, when the store is closed.
      StoreOptions options = StoreOptions.builder().keptLogBytes(0).build();
      Store.Builder builder = Store.builder(directory).options(options);
      try (Store store =
          (directory.equals(with) ? builder.encryption(EncryptionKeys.NONE) : builder).open()) {
        for (int i = 0; i < 2000; i++) {
          store.database().put(bytes("key " + i), bytes("value " + i));
        }
      }
    }
    List<Long> sizes = sizes(without);
    assertThat(sizes(with)).isEqualTo(sizes);
    for (Path sst : SmallStores.files(with, ".sst")) {
      byte[] content = Files.readAllBytes(sst);
      assertThat(Arrays.copyOfRange(content, 5, 7)).isEqualTo(new byte[2]);
    }
  }

  private static List<Long> sizes(Path directory) throws IOException {
    List<Long> sizes = new ArrayList<>();
    for (Path sst : SmallStores.files(directory, ".sst")) {
      sizes.add(Files.size(sst));
    }
    return sizes;
  }
}
