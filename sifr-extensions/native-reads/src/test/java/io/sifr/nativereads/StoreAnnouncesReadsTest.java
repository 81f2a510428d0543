package io.sifr.nativereads;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Processes that read a store of several trees from cold files and from cached ones. */
@Tag("process")
@Tag("jvm")
@EnabledOnOs(OS.LINUX)
class StoreAnnouncesReadsTest {
  private static final int KEYS = 20_000;
  private static final int TREES = 6;

  @TempDir Path directory;

  private static byte[] key(int i) {
    return "key%08d".formatted(i).getBytes(US_ASCII);
  }

  private static byte[] value(int round, int i) {
    byte[] value = new byte[200];
    new Random(31L * i + round).nextBytes(value);
    return value;
  }

  private static Store open(Path directory, ReadMode mode) {
    return Store.open(
        directory,
        StoreOptions.builder()
            .readMode(mode)
            .filterBitsPerKey(0)
            .compaction(CompactionPolicy.splitForest(16, true))
            .build());
  }

  private void write() throws IOException, InterruptedException {
    try (Store store = open(directory, ReadMode.MMAP)) {
      for (int round = 0; round < TREES; round++) {
        for (int i = round; i < KEYS; i += round == 0 ? 1 : TREES) {
          store.database().put(key(i), value(round, i));
        }
        store.flush();
      }
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".sst")).toList()) {
        evict(file);
      }
    }
  }

  /** Has the system forget a file, if it does: a test of cached files is a test, too. */
  private static void evict(Path file) throws IOException, InterruptedException {
    new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
        .start()
        .waitFor();
  }

  private String reads(ReadMode mode, String... options) throws IOException, InterruptedException {
    write();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Arrays.asList(options));
    command.addAll(
        List.of(
            "-Xmx256m",
            "-Dorg.slf4j.simpleLogger.logFile=System.out",
            "-cp",
            System.getProperty("java.class.path"),
            Reader.class.getName(),
            directory.toString(),
            mode.name()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as("%s", printed).isZero();
    assertThat(printed).contains("all is as it was written");
    return printed;
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_22)
  void mappedFilesAreReadAsTheyWereWritten() throws IOException, InterruptedException {
    assertThat(reads(ReadMode.MMAP, "--enable-native-access=ALL-UNNAMED"))
        .containsOnlyOnce("reads are announced to the system by io.sifr.nativereads")
        .doesNotContain("any more", "WARNING");
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_22)
  void filesReadByPositionAreReadAsTheyWereWritten() throws IOException, InterruptedException {
    assertThat(reads(ReadMode.POSITIONAL, "--enable-native-access=ALL-UNNAMED"))
        .containsOnlyOnce("reads are announced to the system by io.sifr.nativereads")
        .doesNotContain("any more", "WARNING");
  }

  /** With an option of Java 24; without one that JVM warns, and a later one will refuse. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_24)
  void whereNativeAccessIsRefusedThreadsRead() throws IOException, InterruptedException {
    assertThat(reads(ReadMode.MMAP, "--illegal-native-access=deny"))
        .containsOnlyOnce("reads are not announced to the system: native access is refused")
        .contains("announced: 0")
        .contains("--enable-native-access=ALL-UNNAMED");
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_21)
  void onAnOlderJvmThreadsRead() throws IOException, InterruptedException {
    assertThat(reads(ReadMode.MMAP))
        .containsOnlyOnce("reads are not announced to the system: it needs Java 22 or newer");
  }

  /** The process that reads. */
  static final class Reader {
    private Reader() {}

    public static void main(String[] arguments) {
      try (Store store = open(Path.of(arguments[0]), ReadMode.valueOf(arguments[1]))) {
        Database database = store.database();
        Random random = new Random(5);
        for (int round = 0; round < 2_000; round++) {
          int i = random.nextInt(KEYS);
          require(i, database.get(key(i)));
          require(-1, database.get(key(KEYS + i)));
          try (Cursor cursor = database.cursor()) {
            require(i, cursor.seek(key(i)) ? cursor.value() : null);
          }
        }
        int[] some = IntStream.range(0, KEYS).filter(i -> i % 37 == 0).toArray();
        List<byte[]> found =
            database.multiGet(IntStream.of(some).mapToObj(StoreAnnouncesReadsTest::key).toList());
        for (int i = 0; i < some.length; i++) {
          require(some[i], found.get(i));
        }
        System.out.println(
            "all is as it was written, announced: "
                + store.statistics().get(Metric.ANNOUNCED_READS));
      }
    }

    private static void require(int i, byte @Nullable [] found) {
      byte @Nullable [] expected = i < 0 ? null : value(i % TREES, i);
      if (!Arrays.equals(expected, found)) {
        throw new IllegalStateException("key " + i + " has another value");
      }
    }
  }
}
