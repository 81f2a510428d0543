package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.spi.EncryptionKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Stores full of secrets, whose names, keys and values all begin with "secret-". */
final class Secrets {
  static final int SECRETS = 1000;
  static final byte[] FIRST = key(1);
  static final byte[] SECOND = key(2);
  static final EncryptionKeys KEYS = EncryptionKeys.of(FIRST);
  static final EncryptionKeys ROTATED = EncryptionKeys.of(Map.of(1, FIRST, 2, SECOND), 2);

  private Secrets() {}

  static byte[] key(int seed) {
    byte[] key = new byte[EncryptionKeys.KEY_BYTES];
    new Random(seed).nextBytes(key);
    return key;
  }

  static Store open(Path directory, EncryptionKeys keys) {
    return builder(directory, keys).open();
  }

  static Store.Builder builder(Path directory, EncryptionKeys keys) {
    return Store.builder(directory)
        .options(SmallStores.options().keptLogBytes(1 << 20).build())
        .encryption(keys);
  }

  static String secretKey(int i) {
    return "secret-key-%04d".formatted(i);
  }

  static String secretValue(int i) {
    return "secret-value-%04d ".formatted(i);
  }

  /** Long ones go to value files, and the longest are blocks of many pages. */
  static byte[] value(int i) {
    int repeated = i % 100 == 0 ? 6000 : i % 10 == 0 ? 300 : 1;
    return bytes(secretValue(i).repeat(repeated));
  }

  /** Has secrets in all kinds of files, some of them in the log alone. */
  static void fill(Path directory, EncryptionKeys keys) {
    try (Store store = open(directory, keys)) {
      Database apart =
          store.createDatabase(
              "secret-database-1",
              DatabaseOptions.builder()
                  .separateValuesFrom(4000)
                  .filterPrefix(KeyPrefix.ofLength(4))
                  .build());
      Database whole = store.createDatabase("secret-database-2", DatabaseOptions.DEFAULT);
      var unused = store.createDatabase("other", DatabaseOptions.DEFAULT);
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
        var unusedResult = loader.finish();
      }
      store.checkpoint(directory.resolveSibling(directory.getFileName() + ".copy"));
      Backups backups = Backups.in(directory.resolveSibling(directory.getFileName() + ".backup"));
      assertThat(backups.create(store).databases().isEmpty()).isEqualTo(keys.current() != 0);
    }
  }

  /** The secrets that are in a file below the directory. */
  static Set<String> found(Path directory) throws IOException {
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

  static void assertHoldsAll(Store store) {
    for (int i = 0; i < SECRETS; i++) {
      Database database = store.database(i % 2 == 0 ? "secret-database-1" : "secret-database-2");
      assertThat(database.get(bytes(secretKey(i)))).as(secretKey(i)).isEqualTo(value(i));
    }
    assertThat(store.database().count(KeyRange.all())).isEqualTo(SECRETS);
  }
}
