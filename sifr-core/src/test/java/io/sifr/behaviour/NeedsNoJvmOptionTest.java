package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.base.Preconditions;
import com.google.common.util.concurrent.internal.InternalFutureFailureAccess;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.event.Metric;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/**
 * A program with nothing on its command line but the class path runs, and the JVM has nothing to
 * say about it.
 */
@Tag("disk")
@Tag("process")
@Tag("jvm")
class NeedsNoJvmOptionTest {
  /** A class of each module that ours needs, and of ours. */
  private static final List<Class<?>> MODULES =
      List.of(
          Store.class,
          Caffeine.class,
          Preconditions.class,
          InternalFutureFailureAccess.class,
          ByteBuf.class,
          ResourceLeakDetector.class,
          Logger.class);

  @TempDir Path directory;

  /** What a first program does, once in each read mode. */
  static final class FirstProgram {
    private static final int ENTRIES = 30_000;

    private FirstProgram() {}

    public static void main(String[] args) {
      for (ReadMode mode : ReadMode.values()) {
        StoreOptions options =
            StoreOptions.builder().readMode(mode).compression(Compression.LZ4).build();
        try (Store store = Store.open(Path.of(args[0], mode.name()), options)) {
          Database database = store.database();
          for (int i = 0; i < ENTRIES; i++) {
            database.put(bytes("key" + i), bytes("value" + i));
          }
          store.flush();
          for (int i = 0; i < ENTRIES; i++) {
            check(Arrays.equals(database.get(bytes("key" + i)), bytes("value" + i)), "key" + i);
          }
          ByteBuf key = Unpooled.wrappedBuffer(bytes("key7"));
          check(database.byteBufs().read(key, value -> check(value.isReadable(), "read")), "key7");
          try (Cursor cursor = database.cursor()) {
            int entries = 0;
            for (boolean found = cursor.first(); found; found = cursor.next()) {
              entries++;
            }
            check(entries == ENTRIES, entries + " entries");
          }
          database.compact();
          check(store.statistics().get(Metric.GET_MICROS).samples() > 0, "statistics");
        }
        System.out.println(mode);
      }
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void check(boolean holds, String what) {
      if (!holds) {
        throw new AssertionError(what);
      }
    }
  }

  @Test
  void inAnyReadMode() throws IOException, InterruptedException {
    assertRuns(List.of());
  }

  /** Netty without Unsafe, as it is by itself where the JVM warns of that: Java 24 and later. */
  @Test
  void withoutUnsafe() throws IOException, InterruptedException {
    assertRuns(List.of("-Dio.netty.noUnsafe=true"));
  }

  /** Zstandard where the JVM denies what its library needs: refused before anything is written. */
  static final class ZstdProgram {
    private ZstdProgram() {}

    public static void main(String[] args) {
      StoreOptions zstd = StoreOptions.builder().compression(Compression.ZSTD).build();
      refused(() -> Store.open(Path.of(args[0], "new"), zstd));
      refused(() -> Store.open(Path.of(args[0], "zstd"), zstd));
      try (Store store = Store.open(Path.of(args[0], "zstd"))) {
        Database database = store.database();
        refused(() -> Arrays.toString(database.get(FirstProgram.bytes("key7"))));
        refused(() -> database.cursor().first());
        refused(
            () -> {
              database.compact();
              return "compact";
            });
        refused(
            () ->
                store.createDatabase(
                    "texts", DatabaseOptions.builder().compression(Compression.ZSTD).build()));
        database.put(FirstProgram.bytes("key"), FirstProgram.bytes("value"));
        store.flush();
        FirstProgram.check(database.get(FirstProgram.bytes("key")) != null, "key");
      }
      System.out.println("done");
    }

    private static void refused(Supplier<Object> action) {
      try {
        System.out.println("not refused: " + action.get());
      } catch (IllegalArgumentException | SifrException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void zstandardIsRefusedWhereItsLibraryCannotWork() throws IOException, InterruptedException {
    assumeTrue(Runtime.version().feature() >= 23, "the option that denies Unsafe is of Java 23");
    StoreOptions zstd =
        StoreOptions.builder().compression(Compression.ZSTD).keptLogBytes(0).build();
    try (Store store = Store.open(directory.resolve("zstd"), zstd)) {
      for (int i = 0; i < 1000; i++) {
        store.database().put(FirstProgram.bytes("key" + i), FirstProgram.bytes("value" + i));
      }
    }
    List<String> lines =
        run(
            Path.of(System.getProperty("java.home")),
            List.of("--sun-misc-unsafe-memory-access=deny"),
            classPath(),
            ZstdProgram.class);
    assertThat(lines).hasSize(7).endsWith("done");
    assertThat(lines.subList(0, 6))
        .allMatch(line -> line.contains("Zstandard needs the library io.airlift:aircompressor"))
        .allMatch(line -> line.contains("--sun-misc-unsafe-memory-access=allow"));
  }

  /** jlink takes nothing but modules, and so finds a library of ours that is none. */
  @Test
  void inALinkedImage() throws IOException, InterruptedException {
    Path image = directory.resolve("image");
    StringWriter told = new StringWriter();
    PrintWriter log = new PrintWriter(told);
    int exitCode =
        ToolProvider.findFirst("jlink")
            .orElseThrow()
            .run(
                log,
                log,
                "--module-path",
                MODULES.stream()
                    .map(type -> location(type).toString())
                    .collect(Collectors.joining(File.pathSeparator)),
                "--add-modules",
                "io.sifr",
                "--output",
                image.toString());
    assertThat(exitCode).as("%s", told).isZero();
    assertRuns(image, List.of(), location(FirstProgram.class).toString());
  }

  private static Path location(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  private void assertRuns(List<String> options) throws IOException, InterruptedException {
    assertRuns(Path.of(System.getProperty("java.home")), options, classPath());
  }

  private void assertRuns(Path javaHome, List<String> options, String classPath)
      throws IOException, InterruptedException {
    assertThat(run(javaHome, options, classPath, FirstProgram.class))
        .containsExactly("AUTO", "MMAP", "POSITIONAL", "DIRECT");
  }

  private List<String> run(Path javaHome, List<String> options, String classPath, Class<?> program)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(javaHome.resolve("bin").resolve("java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, program.getName(), directory.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s", printed).isZero();
    return printed.lines().filter(line -> !line.startsWith("SLF4J")).toList();
  }

  /** Without the logging back end of the tests, which a first program need not have. */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.contains("logback"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
