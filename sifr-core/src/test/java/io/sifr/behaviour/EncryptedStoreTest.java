package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Backups;
import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.KeyPrefix;
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
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Of an encrypted store no file tells anything but to who has the keys. */
class EncryptedStoreTest {
  private static final int SECRETS = 1000;
  private static final byte[] FIRST = key(1);
  private static final byte[] SECOND = key(2);
  private static final EncryptionKeys KEYS = EncryptionKeys.of(FIRST);
  private static final EncryptionKeys ROTATED = EncryptionKeys.of(Map.of(1, FIRST, 2, SECOND), 2);

  @TempDir private Path parent;

  private static byte[] key(int seed) {
    byte[] key = new byte[EncryptionKeys.KEY_BYTES];
    new Random(seed).nextBytes(key);
    return key;
  }

  private static Store open(Path directory, EncryptionKeys keys) {
    return builder(directory, keys).open();
  }

  private static Store.Builder builder(Path directory, EncryptionKeys keys) {
    return Store.builder(directory)
        .options(SmallStores.options().keptLogBytes(1 << 20).build())
        .encryption(keys);
  }

  private static String secretKey(int i) {
    return "secret-key-%04d".formatted(i);
  }

  private static String secretValue(int i) {
    return "secret-value-%04d ".formatted(i);
  }

  /** Long ones go to value files, and the longest are blocks of many pages. */
  private static byte[] value(int i) {
    int repeated = i % 100 == 0 ? 6000 : i % 10 == 0 ? 300 : 1;
    return bytes(secretValue(i).repeat(repeated));
  }

  /** Has secrets in all kinds of files, some of them in the log alone. */
  private void fill(Path directory, EncryptionKeys keys) {
    try (Store store = open(directory, keys)) {
      Database apart =
          store.createDatabase(
              "secret-database-1",
              DatabaseOptions.builder()
                  .separateValuesFrom(4000)
                  .filterPrefix(KeyPrefix.ofLength(4))
                  .build());
      Database whole = store.createDatabase("secret-database-2", DatabaseOptions.DEFAULT);
      for (int i = 0; i < SECRETS; i++) {
        (i % 2 == 0 ? apart : whole).put(bytes(secretKey(i)), value(i));
        if (i == SECRETS / 2) {
          whole.deleteRange(KeyRange.between(bytes("secret-range-1"), bytes("secret-range-2")));
          store.flush();
        }
      }
      try (BulkLoader loader = store.database().bulkLoader().open()) {
        for (int i = 0; i < SECRETS; i++) {
          loader.put(bytes("secret-loaded-" + i), bytes("secret-value-loaded"));
        }
        var unused = loader.finish();
      }
      store.checkpoint(directory.resolveSibling(directory.getFileName() + ".copy"));
      Backups backups = Backups.in(directory.resolveSibling(directory.getFileName() + ".backup"));
      assertThat(backups.create(store).databases().isEmpty())
          .isEqualTo(!keys.equals(EncryptionKeys.NONE));
    }
  }

  /** The secrets that are in a file below the directory. */
  private static Set<String> found(Path directory) throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String content = new String(Files.readAllBytes(file), ISO_8859_1);
        for (int at = content.indexOf("secret-");
            at >= 0;
            at = content.indexOf("secret-", at + 1)) {
          found.add(content.substring(at, Math.min(content.length(), at + 17)));
        }
      }
    }
    return found;
  }

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

  private static void assertHoldsAll(Store store) {
    for (int i = 0; i < SECRETS; i++) {
      Database database = store.database(i % 2 == 0 ? "secret-database-1" : "secret-database-2");
      assertThat(database.get(bytes(secretKey(i)))).as(secretKey(i)).isEqualTo(value(i));
    }
    assertThat(store.database().count(KeyRange.all())).isEqualTo(SECRETS);
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void allOfItIsRead(ReadMode mode) {
    Path directory = parent.resolve("store");
    fill(directory, KEYS);
    StoreOptions options = SmallStores.options().readMode(mode).build();
    try (Store store = builder(directory, KEYS).options(options).open()) {
      assertHoldsAll(store);
      store.database("secret-database-1").compact();
      store.database("secret-database-2").compact();
      assertHoldsAll(store);
    }
    try (Store store = builder(directory, KEYS).openReadOnly()) {
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
      uses.add(() -> open(directory, keys).close());
      uses.add(() -> builder(directory, keys).openReadOnly().close());
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
    try (Store store = open(directory, KEYS)) { // nobody has changed anything
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
        .isThrownBy(() -> open(parent.resolve("store"), bad))
        .withMessage(
            "the current key is number 70000; allowed: 1 to 65535, or 0 for no encryption");
  }

  /** From no key to one, to another, and back. */
  @Test
  void keysAreRotated() throws IOException {
    Path directory = parent.resolve("store");
    List<EncryptionKeys> all =
        List.of(
            EncryptionKeys.NONE,
            KEYS,
            ROTATED,
            EncryptionKeys.of(Map.of(1, FIRST, 2, SECOND), 0),
            ROTATED);
    for (int i = 0; i < all.size(); i++) {
      try (Store store = open(directory, all.get(i))) {
        var unused = store.createDatabase("secret-name-" + i, DatabaseOptions.DEFAULT);
        for (int j = 0; j < 300; j++) {
          store.database().put(bytes("key " + (100 * i + j)), bytes("secret-value " + i + " " + j));
        }
        if (i % 2 == 1) {
          store.flush();
        }
        assertThat(store.database().count(KeyRange.all())).isEqualTo(100 * i + 300);
      }
      String ofValue = "secret-value " + i;
      String ofName = "secret-name-" + i;
      if (all.get(i).current() != 0) { // also what goes to a log and a manifest that were there
        assertThat(found(directory))
            .noneMatch(secret -> secret.startsWith(ofValue))
            .noneMatch(secret -> secret.startsWith(ofName));
      }
    }
    assertThat(StoreCheck.run(directory, ROTATED, CheckProgress.NONE).findings()).isEmpty();
    try (Store store = open(directory, ROTATED)) {
      for (int i = 0; i < 700; i++) {
        int last = Math.min(i / 100, all.size() - 1);
        assertThat(store.database().get(bytes("key " + i)))
            .isEqualTo(bytes("secret-value " + last + " " + (i - 100 * last)));
      }
    }
  }

  @Test
  void aLogAndAManifestThatAreNotEncryptedAreNotGoneOnWith() throws IOException {
    Path directory = parent.resolve("store");
    try (Store store = open(directory, EncryptionKeys.NONE)) {
      store.database().put(bytes("plain"), bytes("before"));
      var unused = store.createDatabase("plain", DatabaseOptions.DEFAULT);
    }
    assertThat(SmallStores.files(directory, ".wal")).as("what was written is there").isNotEmpty();
    try (Store store = open(directory, KEYS)) {
      store.database().put(bytes("secret-key"), bytes("secret-value"));
      var unused = store.createDatabase("secret-name", DatabaseOptions.DEFAULT);
    }
    assertThat(found(directory)).isEmpty();
    try (Store store = open(directory, KEYS)) {
      assertThat(store.database().get(bytes("plain"))).isEqualTo(bytes("before"));
      assertThat(store.database().get(bytes("secret-key"))).isEqualTo(bytes("secret-value"));
    }
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
    try (Store store = open(parent.resolve("store"), ROTATED)) {
      Database database = store.database();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.ingest(Map.of(database, List.of(plain)), IngestOptions.DEFAULT))
          .withMessageContaining("plain.sst is not encrypted, and the store is");
      store.ingest(Map.of(database, List.of(encrypted)), IngestOptions.DEFAULT);
      assertThat(database.get(bytes("b"))).isEqualTo(bytes("2"));
      assertThat(database.get(bytes("a"))).isNull();
    }
    try (Store store = open(parent.resolve("other"), EncryptionKeys.NONE)) {
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
          .isThrownBy(() -> open(copy, EncryptionKeys.NONE));
      try (Store store = open(copy, ROTATED)) {
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
