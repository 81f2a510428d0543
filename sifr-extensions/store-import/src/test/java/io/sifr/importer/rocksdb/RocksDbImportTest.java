package io.sifr.importer.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.config.Compression;
import io.sifr.importer.Imported;
import io.sifr.importer.SourceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.BuiltinComparator;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RemoveEmptyValueCompactionFilter;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.TtlDB;

class RocksDbImportTest {
  private static final String PREFIX = "sifr-import-rocksdb: ";

  private final Map<String, SortedMap<byte[], byte[]>> expected = new HashMap<>();

  @TempDir Path directory;

  @BeforeEach
  void loadLibrary() {
    RocksDB.loadLibrary();
  }

  private Path source() {
    return directory.resolve("source");
  }

  private Path target() {
    return directory.resolve("target");
  }

  private Imported importFrom(Path source, String... options) {
    List<String> args = new ArrayList<>(List.of(options));
    args.add(source.toString());
    args.add(target().toString());
    return Imported.run(RocksDbImportCommand::new, args.toArray(String[]::new));
  }

  private void assertRefused(String reason) throws IOException {
    Imported imported = importFrom(source());
    assertThat(imported.error())
        .startsWith(PREFIX + source() + " cannot be imported: ")
        .contains(reason);
    assertThat(imported.exitCode()).isEqualTo(4);
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left)
          .doesNotContain(target())
          .noneMatch(file -> file.toString().contains("import-"));
    }
  }

  private void assertImported(Imported imported) {
    assertThat(imported.error()).isEmpty();
    assertThat(imported.exitCode()).isZero();
    try (Store store = Store.open(target())) {
      assertThat(store.databaseNames()).containsAll(expected.keySet());
      expected.forEach((database, entries) -> Imported.assertHas(store, database, entries));
    }
  }

  /** Puts, overwrites and deletes in a column family, some of them flushed. */
  private void write(RocksDB db, ColumnFamilyHandle family, int operations)
      throws RocksDBException {
    String name = new String(family.getName(), UTF_8);
    SortedMap<byte[], byte[]> entries =
        expected.computeIfAbsent(name, ignored -> Imported.noEntries());
    Random random = new Random(name.hashCode());
    for (int i = 0; i < operations; i++) {
      byte[] key = ("key " + random.nextInt(500)).getBytes(UTF_8);
      if (random.nextInt(4) == 0) {
        db.delete(family, key);
        entries.remove(key);
      } else {
        byte[] value = new byte[random.nextInt(50) == 0 ? 20_000 : random.nextInt(100)];
        random.nextBytes(value);
        db.put(family, key, value);
        entries.put(key, value);
      }
      if (i == operations / 2) {
        try (FlushOptions wait = new FlushOptions()) {
          db.flush(wait, family);
        }
      }
    }
    byte[] from = "key 1".getBytes(UTF_8);
    byte[] to = "key 2".getBytes(UTF_8);
    db.deleteRange(family, from, to);
    entries.subMap(from, to).clear();
  }

  private void write(DBOptions options, ColumnFamilyOptions familyOptions) throws RocksDBException {
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    for (String name : List.of("default", "second", "with a space, über", "empty")) {
      families.add(new ColumnFamilyDescriptor(name.getBytes(UTF_8), familyOptions));
    }
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    options.setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
    try (RocksDB db = RocksDB.open(options, source().toString(), families, handles)) {
      for (ColumnFamilyHandle handle : handles) {
        write(db, handle, new String(handle.getName(), UTF_8).equals("empty") ? 0 : 2_000);
      }
    }
  }

  private void writeAny() throws RocksDBException {
    try (DBOptions options = new DBOptions();
        ColumnFamilyOptions families = new ColumnFamilyOptions()) {
      write(options, families);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allColumnFamiliesAreThereAndTheSourceIsAsItWas(boolean hasBlobs) throws Exception {
    try (DBOptions options = new DBOptions();
        ColumnFamilyOptions families =
            new ColumnFamilyOptions()
                .setEnableBlobFiles(hasBlobs)
                .setMinBlobSize(64)
                .setBlobFileSize(64 << 10)
                .setCompressionType(CompressionType.ZSTD_COMPRESSION)
                .useFixedLengthPrefixExtractor(3)) {
      write(options, families);
    }
    SortedMap<String, String> before = Imported.files(source());
    assertThat(before.keySet().stream().anyMatch(name -> name.endsWith(".blob")))
        .isEqualTo(hasBlobs);
    assertThat(before.keySet()).anyMatch(name -> name.endsWith(".sst"));
    assertImported(importFrom(source()));
    assertThat(Imported.files(source())).isEqualTo(before);
    try (Store store = Store.builder(target()).openReadOnly()) {
      assertThat(store.databaseNames())
          .containsExactlyInAnyOrder("default", "second", "with a space, über", "empty");
      assertThat(store.database("second").options().compression()).isEqualTo(Compression.LZ4);
    }
  }

  @Test
  void theResultIsGivenAsJson() throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.put("key".getBytes(UTF_8), "value".getBytes(UTF_8));
      db.createColumnFamily(new ColumnFamilyDescriptor("other".getBytes(UTF_8))).close();
    }
    Imported imported = importFrom(source(), "--json", "--compression=none");
    assertThat(imported.error()).isEmpty();
    assertThat(imported.output())
        .matches(
            "\\{\"importedEntries\":1,\"importedBytes\":8,\"databases\":\\["
                + "\\{\"database\":\"default\",\"entries\":1,\"bytes\":8},"
                + "\\{\"database\":\"other\",\"entries\":0,\"bytes\":0}],"
                + "\"compression\":\"NONE\",\"importSeconds\":[0-9.E-]+}\\R");
  }

  @Test
  void mergesOfRocksDbsOwnOperatorsAreApplied() throws Exception {
    try (StringAppendOperator operator = new StringAppendOperator("|");
        Options options = new Options().setCreateIfMissing(true).setMergeOperator(operator);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.merge("key".getBytes(UTF_8), "a".getBytes(UTF_8));
      db.merge("key".getBytes(UTF_8), "b".getBytes(UTF_8));
    }
    SortedMap<byte[], byte[]> entries = Imported.noEntries();
    entries.put("key".getBytes(UTF_8), "a|b".getBytes(UTF_8));
    expected.put("default", entries);
    assertImported(importFrom(source()));
  }

  /** RocksDB's OPTIONS do not tell these, or not so that RocksDB reads them as they were. */
  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n", "\\", ";", "{a;b}", "#", "\u0000", "of an old version"})
  void mergesWithADelimiterThatIsNotToldAreRefused(String delimiter) throws Exception {
    try (StringAppendOperator operator = new StringAppendOperator(delimiter);
        FlushOptions wait = new FlushOptions();
        Options options = new Options().setCreateIfMissing(true).setMergeOperator(operator);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.put("key".getBytes(UTF_8), "a".getBytes(UTF_8));
      db.merge("key".getBytes(UTF_8), "b".getBytes(UTF_8));
      db.flush(wait);
      db.merge("key".getBytes(UTF_8), "c".getBytes(UTF_8));
    }
    if (delimiter.contains("old")) {
      for (Path file : optionFiles()) {
        String text = Files.readString(file);
        Files.writeString(
            file, text.replaceAll("merge_operator=.*", "merge_operator=StringAppendOperator"));
      }
    }
    assertRefused("or with a delimiter that its OPTIONS do not tell");
  }

  @ParameterizedTest
  @ValueSource(strings = {"best_efforts_recovery=true", "paranoid_checks=false"})
  void optionsThatLeaveOutLogsDoNotCount(String option) throws Exception {
    writeAny();
    String[] parts = option.split("=", -1);
    for (Path file : optionFiles()) {
      String text = Files.readString(file);
      Files.writeString(file, text.replaceFirst(parts[0] + "=\\w+", option));
      assertThat(Files.readString(file)).contains(option);
    }
    assertImported(importFrom(source()));
    Files.delete(file(".sst"));
    Store.destroy(target());
    assertRefused("RocksDB cannot read it");
  }

  private static DBOptions options(String name, String value) {
    Properties properties = new Properties();
    properties.setProperty(name, value);
    return DBOptions.getDBOptionsFromProps(properties);
  }

  @Test
  void rocksDbsOwnStatisticsAreLeftOut() throws Exception {
    try (DBOptions options = options("persist_stats_to_disk", "true");
        ColumnFamilyOptions families = new ColumnFamilyOptions()) {
      write(options, families);
    }
    assertImported(importFrom(source()));
    try (Store store = Store.open(target())) {
      assertThat(store.databaseNames()).containsExactlyInAnyOrderElementsOf(expected.keySet());
    }
  }

  /** Such a log begins with records that say something of the log itself. */
  @ParameterizedTest
  @ValueSource(strings = {"wal_compression=kZSTD", "track_and_verify_wals=true"})
  void logsThatTellOfThemselvesAreRead(String option) throws Exception {
    String[] parts = option.split("=", -1);
    try (DBOptions options = options(parts[0], parts[1]);
        ColumnFamilyOptions families = new ColumnFamilyOptions()) {
      write(options, families);
    }
    assertImported(importFrom(source()));
    Store.destroy(target());
    Path log = file(".log");
    byte[] bytes = Files.readAllBytes(log);
    int second = 7 + (bytes[4] & 0xff);
    for (int at : new int[] {6, second + 6}) {
      byte[] damaged = bytes.clone();
      int bit = bytes[at] == 9 ? 2 : bytes[at] < 0 ? 1 : 4;
      damaged[at] ^= (byte) bit;
      Files.write(log, damaged);
      assertRefused(" is damaged at offset " + (at - 6));
    }
  }

  private List<Path> optionFiles() throws IOException {
    try (Stream<Path> files = Files.list(source())) {
      return files.filter(file -> file.toString().contains("OPTIONS-")).toList();
    }
  }

  /** Stands for an operator that was written in C++ by somebody else. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void mergesOfAnUnknownOperatorAreRefused(boolean isFlushed) throws Exception {
    try (StringAppendOperator operator = new StringAppendOperator("|");
        FlushOptions wait = new FlushOptions();
        Options options = new Options().setCreateIfMissing(true).setMergeOperator(operator);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.merge("key".getBytes(UTF_8), "a".getBytes(UTF_8));
      if (isFlushed) {
        db.flush(wait);
      }
    }
    for (Path file : optionFiles()) {
      String text = Files.readString(file);
      assertThat(text).contains("merge_operator=");
      Files.writeString(file, text.replaceAll("merge_operator=.*", "merge_operator=Theirs"));
    }
    assertRefused(
        "it has merges that were not applied, of an operator that RocksDB's library does");
  }

  @Test
  void anotherOrderIsRefusedByItsName() throws Exception {
    try (Options options =
            new Options()
                .setCreateIfMissing(true)
                .setComparator(BuiltinComparator.REVERSE_BYTEWISE_COMPARATOR);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.put("key".getBytes(UTF_8), "value".getBytes(UTF_8));
    }
    assertRefused("rocksdb.ReverseBytewiseComparator");
  }

  @Test
  void aNameThatNoDatabaseCanHaveIsRefused() throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.createColumnFamily(new ColumnFamilyDescriptor("two\nlines".getBytes(UTF_8))).close();
    }
    assertRefused("no database can have the name of its column family \"two");
  }

  @Test
  void aNameThatIsNotUtf8IsRefused() throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.createColumnFamily(new ColumnFamilyDescriptor(new byte[] {'a', (byte) 0xff})).close();
    }
    assertRefused("no database can have the name of its column family \"a");
  }

  @Test
  void valuesWithATimeAfterThemAreRefused() throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        TtlDB db = TtlDB.open(options, source().toString(), 100, false)) {
      db.put("key".getBytes(UTF_8), "value".getBytes(UTF_8));
    }
    assertRefused("it was written with a time to live (TtlDB)");
  }

  @Test
  void valuesWithATimeAndAFilterOfTheUsersAreRefused() throws Exception {
    try (RemoveEmptyValueCompactionFilter filter = new RemoveEmptyValueCompactionFilter();
        Options options = new Options().setCreateIfMissing(true).setCompactionFilter(filter);
        TtlDB db = TtlDB.open(options, source().toString(), 100, false)) {
      db.put("key".getBytes(UTF_8), "value".getBytes(UTF_8));
    }
    assertRefused("it was written with a time to live (TtlDB)");
  }

  @Test
  void aColumnFamilyMayBeNamedAsWhatIsRefused() throws Exception {
    SortedMap<byte[], byte[]> entries = Imported.noEntries();
    entries.put("key".getBytes(UTF_8), "value".getBytes(UTF_8));
    List<String> names =
        List.of(
            "TtlCompactionFilterFactory", "..", "a/b", "[CFOptions \"x\"]", "a;b={c}", " #", "\\");
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, source().toString())) {
      for (String name : names) {
        try (ColumnFamilyHandle handle =
            db.createColumnFamily(new ColumnFamilyDescriptor(name.getBytes(UTF_8)))) {
          db.put(handle, "key".getBytes(UTF_8), "value".getBytes(UTF_8));
        }
        expected.put(name, entries);
      }
    }
    assertImported(importFrom(source()));
  }

  /** RocksDB reads only where its options say, and deletes nothing where the log was before. */
  @Test
  void logsInTwoPlacesAreRefused() throws Exception {
    writeTwo();
    Path logs = directory.resolve("logs");
    try (Options options = new Options().setWalDir(logs.toString());
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.put("three".getBytes(UTF_8), "3".getBytes(UTF_8));
    }
    assertThat(RocksDbDirectory.hasLogs(source())).isTrue();
    assertRefused("logs are in it and in " + logs);
  }

  /** Old versions note their own place, where a copy finds the logs of the original. */
  @Test
  void aCopyDoesNotReadTheLogOfTheOriginal() throws Exception {
    writeTwo();
    Path original = Files.move(source(), directory.resolve("original"));
    Files.createDirectory(source());
    try (Stream<Path> files = Files.list(original)) {
      for (Path file : files.toList()) {
        Files.copy(file, source().resolve(file.getFileName()));
      }
    }
    for (Path file : optionFiles()) {
      Files.writeString(
          file,
          Files.readString(file).replace("[DBOptions]", "[DBOptions]\n  wal_dir=" + original));
    }
    SortedMap<byte[], byte[]> entries = Imported.noEntries();
    entries.put("one".getBytes(UTF_8), "1".getBytes(UTF_8));
    entries.put("two".getBytes(UTF_8), "2".getBytes(UTF_8));
    expected.put("default", entries);
    assertImported(importFrom(source()));
    Store.destroy(target());
    Files.delete(file(".log"));
    expected.put("default", Imported.noEntries());
    assertImported(importFrom(source()));
  }

  /** Also after the directory was moved, for which the options name another place. */
  @Test
  void theLogIsFoundWhereItIs() throws Exception {
    Path logs = directory.resolve("logs");
    try (DBOptions options = new DBOptions().setWalDir(logs.toString());
        ColumnFamilyOptions families = new ColumnFamilyOptions()) {
      write(options, families);
    }
    assertThat(RocksDbDirectory.hasLogs(logs)).isTrue();
    assertThat(RocksDbDirectory.hasLogs(source())).isFalse();
    assertImported(importFrom(source()));
    Store.destroy(target());

    Path moved = Files.move(logs, directory.resolve("moved"));
    assertRefused("its log is in " + logs + ", which is not there");
    try (Stream<Path> files = Files.list(moved)) {
      for (Path file : files.toList()) {
        Files.move(file, source().resolve(file.getFileName()));
      }
    }
    assertImported(importFrom(source()));
  }

  @Test
  void aCheckpointIsImported() throws Exception {
    Path copy = directory.resolve("copy");
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    writeAny();
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    try (ColumnFamilyOptions familyOptions = new ColumnFamilyOptions();
        DBOptions options = new DBOptions()) {
      expected
          .keySet()
          .forEach(n -> families.add(new ColumnFamilyDescriptor(n.getBytes(UTF_8), familyOptions)));
      try (RocksDB db = RocksDB.open(options, source().toString(), families, handles);
          Checkpoint checkpoint = Checkpoint.create(db)) {
        checkpoint.createCheckpoint(copy.toString());
        db.put("later".getBytes(UTF_8), "value".getBytes(UTF_8));
      }
    }
    assertImported(importFrom(copy));
  }

  private Path writeTwo() throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, source().toString())) {
      db.put("one".getBytes(UTF_8), "1".getBytes(UTF_8));
      db.put("two".getBytes(UTF_8), "2".getBytes(UTF_8));
    }
    return file(".log");
  }

  @Test
  void aLogThatEndsWithinARecordIsReadOnRequest() throws Exception {
    Path log = writeTwo();
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(bytes, bytes.length - 1));
    assertRefused("--until-damage");
    SortedMap<byte[], byte[]> entries = Imported.noEntries();
    entries.put("one".getBytes(UTF_8), "1".getBytes(UTF_8));
    expected.put("default", entries);
    assertImported(importFrom(source(), "--until-damage"));
  }

  /** Also a length that reaches beyond the end, which is as that of a record that was cut off. */
  @Test
  @Tag("damage")
  void noBitOfALogChangesWhatIsRead() throws Exception {
    Path log = writeTwo();
    byte[] bytes = Files.readAllBytes(log);
    for (int bit = 0; bit < Byte.SIZE * bytes.length; bit += 7) {
      byte[] damaged = bytes.clone();
      damaged[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
      Files.write(log, damaged);
      assertThatThrownBy(() -> RocksDbSource.open(source(), false).close())
          .as("bit %d", bit)
          .isInstanceOf(SourceException.class)
          .hasMessageMatching(".*(RocksDB cannot read it|is damaged at offset 0).*");
    }
  }

  /** Also a type or a length that RocksDB takes for the end: it would hide what comes after. */
  @Test
  @Tag("damage")
  void noBitOfAManifestHidesWhatIsThere() throws Exception {
    try (DBOptions options = new DBOptions();
        ColumnFamilyOptions families = new ColumnFamilyOptions()) {
      write(options, families);
    }
    Path manifest = source().resolve(Files.readString(source().resolve("CURRENT")).strip());
    byte[] bytes = Files.readAllBytes(manifest);
    for (int bit = 0; bit < Byte.SIZE * bytes.length; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
      Files.write(manifest, damaged);
      assertThatThrownBy(() -> RocksDbSource.open(source(), true).close())
          .as("bit %d", bit)
          .isInstanceOf(SourceException.class)
          .hasMessageContaining(manifest + " is damaged at offset ");
    }
  }

  /** With the type of a file that was used before, RocksDB takes it for the end of the log. */
  @Test
  void aFirstRecordOfAnotherTypeIsNoticed() throws Exception {
    Path log = writeTwo();
    byte[] bytes = Files.readAllBytes(log);
    bytes[6] ^= 4;
    Files.write(log, bytes);
    assertRefused(log + " is damaged at offset 0: the checksum of its first record is wrong");
  }

  /** Their files have the records of an older log behind, or nothing else. */
  @Test
  void logsInFilesThatWereUsedBeforeAreRead() throws Exception {
    try (DBOptions options = new DBOptions().setRecycleLogFileNum(2);
        ColumnFamilyOptions families = new ColumnFamilyOptions().setWriteBufferSize(64 << 10)) {
      write(options, families);
      assertThat(Files.readAllBytes(file(".log"))[6]).isBetween((byte) 5, (byte) 8);
    }
    assertImported(importFrom(source()));
  }

  /** Of all files but that which nothing reads. */
  @Test
  @Tag("damage")
  void flippedBitsAreNoticedOrDoNoHarm() throws Exception {
    try (DBOptions options = new DBOptions();
        ColumnFamilyOptions families =
            new ColumnFamilyOptions().setEnableBlobFiles(true).setMinBlobSize(64)) {
      write(options, families);
    }
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (String name : Imported.files(source()).keySet()) {
      Path file = source().resolve(name);
      byte[] bytes = Files.readAllBytes(file);
      for (int i = 0; i < 10 && bytes.length > 0 && !name.equals("LOG"); i++) {
        byte[] damaged = bytes.clone();
        int at = random.nextInt(bytes.length);
        damaged[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        Files.write(file, damaged);
        Imported imported = importFrom(source());
        if (imported.exitCode() == 0) {
          assertImported(imported);
          Store.destroy(target());
        } else {
          assertThat(imported.exitCode()).as("%s at %d: %s", name, at, imported).isEqualTo(4);
        }
      }
      Files.write(file, bytes);
    }
  }

  private Path file(String ending) throws IOException {
    try (Stream<Path> files = Files.list(source())) {
      return files
          .filter(file -> file.toString().endsWith(ending))
          .max(Comparator.comparing(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".sst", ".log", ".blob"})
  void ofADamagedFileNothingIsMade(String ending) throws Exception {
    try (DBOptions options = new DBOptions();
        ColumnFamilyOptions families =
            new ColumnFamilyOptions().setEnableBlobFiles(ending.equals(".blob"))) {
      write(options, families);
    }
    Path file = file(ending);
    byte[] bytes = Files.readAllBytes(file);
    // More than one: what is damaged may be a value that was overwritten later.
    for (int i = bytes.length / 10; i < bytes.length; i += bytes.length / 10) {
      bytes[i] ^= 1;
    }
    Files.write(file, bytes);
    assertRefused("RocksDB cannot read it: ");
  }

  @Test
  void aFileThatIsMissingIsNoticed() throws Exception {
    writeAny();
    Files.delete(file(".sst"));
    assertRefused("RocksDB cannot read it: ");
  }

  @Test
  void whatIsNoRocksDbIsRefused() throws IOException {
    assertRefused("there is no such directory");
    Files.createDirectory(source());
    assertRefused("it is no RocksDB directory: it has no file CURRENT");
    Files.writeString(source().resolve("CURRENT"), "MANIFEST-000002\n");
    assertRefused("it has no file OPTIONS-");
    assertThat(source()).isDirectoryNotContaining("glob:**LOG");
  }

  @Test
  void aSourceThatIsOpenElsewhereIsRefused() throws Exception {
    writeAny();
    Path lock = source().resolve("LOCK");
    try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertThat(held.isValid()).isTrue();
      assertRefused("it is open in this process");
    }
    Process holder = holder(source());
    try {
      assertThat(holder.getInputStream().read()).isEqualTo('x');
      assertRefused("it is open in another process");
    } finally {
      holder.destroy();
      holder.waitFor();
    }
    assertImported(importFrom(source()));
  }

  /** A process that has a directory open. */
  private static Process holder(Path source) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            source.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Has a directory open. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      RocksDB.loadLibrary();
      List<ColumnFamilyDescriptor> families = new ArrayList<>();
      try (Options options = new Options();
          DBOptions dbOptions = new DBOptions()) {
        for (byte[] name : RocksDB.listColumnFamilies(options, args[0])) {
          families.add(new ColumnFamilyDescriptor(name));
        }
        try (RocksDB db = RocksDB.open(dbOptions, args[0], families, new ArrayList<>())) {
          System.out.write('x');
          System.out.flush();
          // Until it is killed.
          while (db.isOwningHandle() && System.in.read() >= 0) {}
        }
      }
    }
  }

  @Test
  void whatIsThereIsNotTouched() throws Exception {
    writeAny();
    Files.writeString(target(), "mine");
    assertThat(importFrom(source()).exitCode()).isEqualTo(4);
    assertThat(target()).content().isEqualTo("mine");
  }

  @Test
  void theCommandLineIsChecked() {
    assertThat(run("one").exitCode()).isEqualTo(2);
    assertThat(run("one", "--two").exitCode()).isEqualTo(2);
    assertThat(run("one", "two", "--compression=SNAPPY").exitCode()).isEqualTo(2);
    assertThat(run("--help").output()).contains("sifr-import-rocksdb", "Exit codes");
    assertThat(run("--version").output()).startsWith("sifr-import-rocksdb ");
  }

  private static Imported run(String... args) {
    return Imported.run(RocksDbImportCommand::new, args);
  }
}
