package io.sifr.behaviour;

import static io.sifr.behaviour.Secrets.FIRST;
import static io.sifr.behaviour.Secrets.KEYS;
import static io.sifr.behaviour.Secrets.ROTATED;
import static io.sifr.behaviour.Secrets.SECOND;
import static io.sifr.behaviour.Secrets.assertHoldsAll;
import static io.sifr.behaviour.Secrets.fill;
import static io.sifr.behaviour.Secrets.found;
import static io.sifr.behaviour.SmallStores.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.event.CompactionReason;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.spi.EncryptionKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The key of a store may change at any time; what is there follows. */
class KeysAreRotatedTest {
  private static final long SEED = Long.getLong("sifr.crypt.seed", System.nanoTime());

  @TempDir private Path parent;

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
      try (Store store = Secrets.open(directory, all.get(i))) {
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
    try (Store store = Secrets.open(directory, ROTATED)) {
      for (int i = 0; i < 700; i++) {
        int last = Math.min(i / 100, all.size() - 1);
        assertThat(store.database().get(bytes("key " + i)))
            .isEqualTo(bytes("secret-value " + last + " " + (i - 100 * last)));
      }
    }
  }

  /** Keys of which another one may be made the current one, or none be known. */
  private static final class ChangingKeys implements EncryptionKeys {
    private volatile int current;
    private volatile boolean isDown;

    ChangingKeys(int current) {
      this.current = current;
    }

    @Override
    public int current() {
      if (isDown) {
        throw new IllegalStateException("the service of keys is down");
      }
      return current;
    }

    @Override
    public byte @Nullable [] key(int number) {
      return switch (number) {
        case 1 -> FIRST;
        case 2 -> SECOND;
        default -> null;
      };
    }
  }

  private static long ofOtherKeys(Store store) {
    return store.statistics().get(Metric.OTHER_KEY_BYTES);
  }

  /** Returns how many keys were put. */
  private static int writeUntilNothingIsOfOtherKeys(Store store, Database database) {
    int writes = 0;
    while (ofOtherKeys(store) > 0) {
      assertThat(writes).isLessThan(20_000);
      database.put(bytes("key " + writes++), new byte[1000]);
      if (writes % 100 == 0) {
        store.flush();
        store.awaitIdle();
      }
    }
    return writes;
  }

  /** Also values in files, which have keys of their own, and what nobody writes to any more. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void whatIsThereIsEncryptedAnewWhileTheStoreIsOpen(int before) throws IOException {
    Path directory = parent.resolve("store");
    ChangingKeys keys = new ChangingKeys(before);
    fill(directory, keys);
    int writes;
    try (Store store = Secrets.open(directory, keys)) {
      store.awaitIdle();
      assertThat(ofOtherKeys(store)).isZero();
      keys.current = 2;
      assertThat(ofOtherKeys(store)).isPositive();
      writes = writeUntilNothingIsOfOtherKeys(store, store.database("other"));
      Map<CompactionReason, Long> compactions = store.statistics().get(Metric.COMPACTIONS);
      assertThat(compactions.get(CompactionReason.KEY_ROTATION)).isPositive();
      assertHoldsAll(store);
    }
    EncryptionKeys onlyNew = EncryptionKeys.of(Map.of(2, SECOND), 2);
    assertThat(StoreCheck.run(directory, onlyNew, CheckProgress.NONE).findings()).isEmpty();
    assertThat(found(directory)).isEmpty();
    try (Store store = Secrets.open(directory, onlyNew)) {
      assertHoldsAll(store);
      assertThat(store.database("other").count(KeyRange.all())).isEqualTo(writes);
    }
  }

  /** Each frame is longer when it is sealed, and random ones do not shrink. */
  @Test
  void longValuesThatDoNotShrinkAreEncryptedAnew() {
    System.out.println("seed " + SEED);
    ChangingKeys keys = new ChangingKeys(1);
    Random random = new Random(SEED);
    byte[][] values = {new byte[(256 << 10) + 1], new byte[1 << 20], new byte[1_500_000]};
    try (Store store = Secrets.open(parent.resolve("store"), keys)) {
      DatabaseOptions apart = DatabaseOptions.builder().separateValuesFrom(1000).build();
      Database database = store.createDatabase("apart", apart);
      for (int i = 0; i < values.length; i++) {
        random.nextBytes(values[i]);
        database.put(bytes("value " + i), values[i]);
      }
      store.flush();
      store.awaitIdle();
      keys.current = 2;
      assertThat(ofOtherKeys(store)).isGreaterThan(values.length * (256L << 10));
      var unused = writeUntilNothingIsOfOtherKeys(store, store.database());
      for (int i = 0; i < values.length; i++) {
        assertThat(database.get(bytes("value " + i))).isEqualTo(values[i]);
      }
    }
  }

  /** The tail of an SST in a cold directory is not of the old key when the SST is not. */
  @Test
  @Tag("disk") // a cold directory that is in memory is refused
  void nothingOfAColdDirectoryIsOfOtherKeysBeforeTheKeyIsAnother() {
    Path directory = parent.resolve("store");
    ChangingKeys keys = new ChangingKeys(1);
    StoreOptions options = SmallStores.options().coldDirectory(parent.resolve("cold")).build();
    try (Store store = Store.builder(directory).options(options).encryption(keys).open()) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.database().compact();
      store.awaitIdle();
      assertThat(SmallStores.files(directory, ".tail")).isNotEmpty();
      assertThat(ofOtherKeys(store)).isZero();
      keys.current = 2;
      assertThat(ofOtherKeys(store)).isPositive();
    }
  }

  /** As long as nobody knows the current key, no file has it. */
  @Test
  void thereAreStatisticsWhileKeysAreNotKnown() {
    ChangingKeys keys = new ChangingKeys(1);
    try (Store store = Secrets.open(parent.resolve("store"), keys)) {
      SmallStores.fill(store.database(), 0, 300, 1);
      store.flush();
      store.awaitIdle();
      store.pauseCompactions(); // so that no file changes
      assertThat(ofOtherKeys(store)).isZero();
      keys.current = 2;
      long all = ofOtherKeys(store);
      assertThat(all).isPositive();
      for (int notKnown : new int[] {3, -5, Integer.MAX_VALUE}) {
        keys.current = notKnown;
        assertThat(ofOtherKeys(store)).as("current key %d", notKnown).isEqualTo(all);
      }
      keys.current = 1;
      keys.isDown = true;
      assertThat(ofOtherKeys(store)).isEqualTo(all);
      keys.isDown = false;
      assertThat(ofOtherKeys(store)).isZero();
    }
  }

  @Test
  void theManifestGoesOnInANewFile() {
    Path directory = parent.resolve("store");
    ChangingKeys keys = new ChangingKeys(1);
    try (Store store = Secrets.open(directory, keys)) {
      store.database().put(bytes("key"), bytes("value"));
      keys.current = 2;
      Path before = SmallStores.files(directory, ".manifest").get(0);
      store.flush();
      assertThat(SmallStores.files(directory, ".manifest")).doesNotContain(before);
      Path after = SmallStores.files(directory, ".manifest").get(0);
      store.database().put(bytes("key"), bytes("value"));
      store.flush();
      assertThat(SmallStores.files(directory, ".manifest")).containsExactly(after);
    }
  }

  /** A file that is begun needs a key; all else goes on, and so does that when there is one. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStoreGoesOnWhileKeysAreNotKnown(boolean isDown) {
    Path directory = parent.resolve("store");
    ChangingKeys keys = new ChangingKeys(1);
    fill(directory, keys);
    BlockingQueue<StoreListener.FailureEvent> failures = new LinkedBlockingQueue<>();
    Store.Builder builder =
        Secrets.builder(directory, keys)
            .listener(
                new StoreListener() {
                  @Override
                  public void failed(FailureEvent event) {
                    failures.add(event);
                  }
                });
    try (Store store = builder.open()) {
      Database other = store.database("other");
      other.put(bytes("first"), bytes("begins a log"));
      keys.isDown = isDown;
      keys.current = 3; // which there is not
      assertHoldsAll(store);
      other.put(bytes("key"), bytes("value"));
      var unused = store.createDatabase("secret-name", DatabaseOptions.DEFAULT);
      assertThatExceptionOfType(SifrException.class)
          .isThrownBy(store::flush)
          .withMessageContaining(
              isDown ? "the service of keys is down" : "encrypted with key 3, which was not given");
      assertThat(failures).isNotEmpty();
      other.put(bytes("key 2"), bytes("value 2"));
      keys.current = 2;
      keys.isDown = false;
      store.flush();
      store.awaitIdle();
      assertThat(other.count(KeyRange.all())).isEqualTo(3);
      assertHoldsAll(store);
    }
  }

  @Test
  void aLogAndAManifestThatAreNotEncryptedAreNotGoneOnWith() throws IOException {
    Path directory = parent.resolve("store");
    try (Store store = Secrets.open(directory, EncryptionKeys.NONE)) {
      store.database().put(bytes("plain"), bytes("before"));
      var unused = store.createDatabase("plain", DatabaseOptions.DEFAULT);
    }
    assertThat(SmallStores.files(directory, ".wal")).as("what was written is there").isNotEmpty();
    try (Store store = Secrets.open(directory, KEYS)) {
      store.database().put(bytes("secret-key"), bytes("secret-value"));
      var unused = store.createDatabase("secret-name", DatabaseOptions.DEFAULT);
    }
    assertThat(found(directory)).isEmpty();
    try (Store store = Secrets.open(directory, KEYS)) {
      assertThat(store.database().get(bytes("plain"))).isEqualTo(bytes("before"));
      assertThat(store.database().get(bytes("secret-key"))).isEqualTo(bytes("secret-value"));
    }
  }
}
