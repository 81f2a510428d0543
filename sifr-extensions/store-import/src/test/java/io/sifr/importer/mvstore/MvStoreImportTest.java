package io.sifr.importer.mvstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.importer.Imported;
import io.sifr.map.Codecs;
import io.sifr.map.SifrMap;
import io.sifr.spi.OrderedCodec;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.rtree.MVRTreeMap;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MvStoreImportTest {
  private static final String PREFIX = "sifr-import-mvstore: ";

  @TempDir Path directory;

  private Path source() {
    return directory.resolve("source.mv");
  }

  private Path target() {
    return directory.resolve("target");
  }

  private Imported importAll(String... options) {
    List<String> args = new ArrayList<>(List.of(options));
    args.add(source().toString());
    args.add(target().toString());
    return Imported.run(MvStoreImportCommand::new, args.toArray(String[]::new));
  }

  private void assertRefused(String reason, String... options) throws IOException {
    Imported imported = importAll(options);
    assertThat(imported.error())
        .startsWith(PREFIX + source() + " cannot be imported: ")
        .contains(reason);
    assertThat(imported.exitCode()).isEqualTo(4);
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).allMatch(file -> file.equals(source()));
    }
  }

  private void write(Consumer<MVStore> writer) {
    try (MVStore store = MVStore.open(source().toString())) {
      writer.accept(store);
      store.commit();
    }
  }

  private static <T> NavigableMap<T, T> fill(
      MVStore store, String name, int size, IntFunction<T> object) {
    MVMap<T, T> map = store.openMap(name);
    NavigableMap<T, T> expected = new TreeMap<>(map.getKeyType());
    for (int i = 0; i < size; i++) {
      T key = object.apply(i);
      T value = object.apply(-i);
      map.put(key, value);
      expected.put(key, value);
      if (i % 5 == 0) {
        map.remove(key);
        expected.remove(key);
      }
      if (i % 500 == 0) {
        store.commit();
      }
    }
    return expected;
  }

  private static <T> void assertHas(
      Store store, String name, OrderedCodec<T> codec, NavigableMap<T, T> expected) {
    SifrMap<T, T> map = SifrMap.over(store.database(name), codec, codec);
    assertThat(map.keySet()).containsExactlyElementsOf(expected.keySet());
    assertThat(map.values()).containsExactlyElementsOf(expected.values());
  }

  /** The order of the keys, too, is as it was. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void mapsOfAllTypesAreReadByTheirCodecs(boolean compresses) throws IOException {
    Random random = new Random(7);
    NavigableMap<String, String> strings;
    NavigableMap<Integer, Integer> integers;
    NavigableMap<Long, Long> longs;
    NavigableMap<UUID, UUID> uuids;
    NavigableMap<byte[], byte[]> bytes;
    MVStore.Builder builder = new MVStore.Builder().fileName(source().toString());
    if (compresses) {
      builder.compress();
    }
    try (MVStore store = builder.open()) {
      strings =
          fill(
              store,
              "strings",
              2_000,
              i -> "\ud83d\ude00\uff5eü ".substring(i & 3) + "x".repeat(i & 31) + i);
      integers = fill(store, "integers", 2_000, i -> random.nextInt() >> random.nextInt(32));
      longs = fill(store, "longs", 2_000, i -> random.nextLong() >> random.nextInt(64));
      uuids = fill(store, "uuids", 500, i -> new UUID(random.nextLong(), random.nextLong()));
      bytes =
          fill(
              store,
              "bytes",
              2_000,
              i -> {
                byte[] array = new byte[i == -999 ? 1 << 20 : random.nextInt(40)];
                random.nextBytes(array);
                return array;
              });
      store.openMap("empty");
    }
    byte[] before = Files.readAllBytes(source());
    Imported imported = importAll();
    assertThat(imported.error()).isEmpty();
    assertThat(imported.exitCode()).isZero();
    assertThat(imported.output())
        .contains("uuids: keys uuids, values uuids", "empty: keys none, values none");
    assertThat(Files.readAllBytes(source())).isEqualTo(before);
    try (Store store = Store.open(target())) {
      assertHas(store, "strings", Codecs.strings(), strings);
      assertHas(store, "integers", Codecs.integers(), integers);
      assertHas(store, "longs", Codecs.longs(), longs);
      assertHas(store, "uuids", Codecs.uuids(), uuids);
      Imported.assertHas(store, "bytes", bytes);
      assertThat(store.database("empty").count(KeyRange.all())).isZero();
    }
  }

  private void writeTyped() {
    write(
        store -> {
          MVMap<String, byte[]> map =
              store.openMap(
                  "typed",
                  new MVMap.Builder<String, byte[]>()
                      .keyType(StringDataType.INSTANCE)
                      .valueType(ByteArrayDataType.INSTANCE));
          MVMap<Long, Long> longs =
              store.openMap(
                  "longs",
                  new MVMap.Builder<Long, Long>()
                      .keyType(LongDataType.INSTANCE)
                      .valueType(LongDataType.INSTANCE));
          for (int i = 0; i < 1_000; i++) {
            map.put("key " + i, ("value " + i).getBytes(UTF_8));
            longs.put((long) i, (long) -i);
          }
        });
  }

  @Test
  void mapsThatWereOpenedWithTypesNeedThem() throws IOException {
    writeTyped();
    assertRefused("its map \"", "--map=typed");
    assertRefused("its map \"", "--map=typed", "--keys=strings");
    assertRefused("its map \"", "--map=typed", "--keys=bytes", "--values=longs");
    assertRefused("its map \"", "--map=longs");
    Imported imported =
        importAll(
            "--map=typed", "--keys=strings", "--values=bytes", "--json", "--compression=zstd");
    assertThat(imported.error()).isEmpty();
    assertThat(imported.output())
        .matches(
            "\\{\"importedEntries\":1000,\"importedBytes\":[0-9]+,\"databases\":\\["
                + "\\{\"database\":\"typed\",\"entries\":1000,\"bytes\":[0-9]+,"
                + "\"keys\":\"strings\",\"values\":\"byteArrays\"}],"
                + "\"compression\":\"ZSTD\",\"importSeconds\":[0-9.E-]+}\\R");
    try (Store store = Store.open(target())) {
      assertThat(store.databaseNames()).doesNotContain("longs");
      assertThat(
              SifrMap.over(store.database("typed"), Codecs.strings(), Codecs.byteArrays())
                  .get("key 7"))
          .asString(UTF_8)
          .isEqualTo("value 7");
    }
  }

  /** Has an effect if Java deserializes it. */
  static final class Effect implements Serializable {
    private static final long serialVersionUID = 1L;
    private static boolean happened;

    private Object readResolve() {
      happened = true;
      return this;
    }
  }

  @Test
  void serializedObjectsAreRefusedAndNotRead() throws IOException {
    write(store -> store.openMap("objects").put("key", new Effect()));
    Effect.happened = false;
    assertRefused("its map \"objects\" cannot be read: it has serialized objects");
    assertThat(Effect.happened).isFalse();
  }

  @Test
  void otherTypesAreRefusedByTheMapsName() throws IOException {
    write(store -> store.openMap("numbers").put("key", 1.5));
    assertRefused("the values of its map \"numbers\" have a java.lang.Double; allowed is one of");
    Files.delete(source());
    write(
        store -> {
          store.openMap("mixed").put(1, "one");
          store.openMap("mixed").put(2L, "two");
        });
    assertRefused("the keys of its map \"mixed\" have a java.lang.Long beside a java.lang.Integer");
    Files.delete(source());
    write(store -> store.openMap("arrays").put("key", new int[] {1}));
    assertRefused("its map \"arrays\" cannot be read: it has serialized objects or arrays");
  }

  @Test
  void filesOfTransactionsAndMapsOfSpaceAreRefused() throws IOException {
    write(
        store -> {
          TransactionStore transactions = new TransactionStore(store);
          transactions.init();
        });
    assertRefused("a TransactionStore has written it");
    Files.delete(source());
    write(store -> store.openMap("space", new MVRTreeMap.Builder<String>()));
    assertRefused("its map \"space\" is of the type rtree");
  }

  @Test
  void namesAreChecked() throws IOException {
    write(store -> store.openMap("two\nlines").put("key", "value"));
    assertRefused("no database can have the name of its map \"two");
    assertRefused("it has no map \"three\"", "--map=three");
  }

  @Test
  void aFileThatIsOpenIsRefused() throws IOException {
    try (MVStore store = MVStore.open(source().toString())) {
      store.openMap("map").put("key", "value");
      store.commit();
      assertRefused("it is open elsewhere");
    }
  }

  @Test
  void ofADamagedFileNothingIsMade() throws IOException {
    write(store -> fill(store, "strings", 2_000, i -> "text " + i));
    byte[] bytes = Files.readAllBytes(source());
    byte[] damaged = bytes.clone();
    Arrays.fill(damaged, 8_192 + 100, damaged.length - 200, (byte) 0x7a);
    Files.write(source(), damaged);
    assertRefused("it is damaged: it has version ");
    Files.write(source(), Arrays.copyOf(bytes, 100));
    assertRefused("MVStore cannot read it");
    Files.writeString(source(), "no MVStore ".repeat(2_000));
    assertRefused("MVStore cannot read it");
    Files.delete(source());
    assertRefused("there is no such file");
  }

  @Test
  void whatIsNoFileOfMapsIsNotCalledDamaged() throws IOException {
    Files.createFile(source());
    assertRefused("it is empty");
    Files.delete(source());
    Files.createDirectory(source());
    assertRefused("it is no file, but a directory");
    Files.delete(source());
    char[] password = "password".toCharArray();
    try (MVStore store =
        new MVStore.Builder().fileName(source().toString()).encryptionKey(password).open()) {
      store.openMap("map").put("key", "value");
    }
    assertRefused("it is encrypted");
  }

  @Test
  void theCommandLineIsChecked() {
    assertThat(run("one").exitCode()).isEqualTo(2);
    assertThat(run("one", "two", "--keys=doubles").exitCode()).isEqualTo(2);
    assertThat(run("--help").output()).contains("sifr-import-mvstore", "Exit codes", "INTEGERS");
  }

  private static Imported run(String... args) {
    return Imported.run(MvStoreImportCommand::new, args);
  }
}
