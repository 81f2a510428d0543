package io.sifr.bench.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.Longs;
import io.sifr.config.Durability;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A store that claims {@link Durability#BUFFERED} loses nothing of what it acknowledged to a
 * process that was killed.
 */
@Tag("process")
@Tag("jvm")
class KilledProcessTest {
  // Some hundred KiB: several write buffers, so that flushes and merges are under way.
  private static final int LINES_BEFORE_THE_KILL = 4000;

  // Sets these lines apart from what a store or its logging prints.
  private static final String TOLD = "acknowledged ";

  @TempDir Path directory;

  /** Puts numbered entries until it is killed, and tells each that was acknowledged. */
  static final class Writer {
    public static void main(String[] arguments) {
      BenchStore store =
          StoreKind.valueOf(arguments[0])
              .open(
                  Path.of(arguments[1]),
                  TestTerms.with(Durability.BUFFERED),
                  TestTerms.EXPECTED_BYTES);
      for (long number = 1; ; number++) {
        store.put(key(number), value(number));
        System.out.println(TOLD + number);
      }
    }
  }

  /** Spread over all keys, and no two the same. */
  private static byte[] key(long number) {
    return Longs.toByteArray(number * 0x9E3779B97F4A7C15L);
  }

  private static byte[] value(long number) {
    Random random = new Random(number);
    byte[] value = new byte[random.nextInt(200)];
    random.nextBytes(value);
    return value;
  }

  static Stream<StoreKind> kindsThatClaimIt() {
    return Arrays.stream(StoreKind.values())
        .filter(kind -> kind.supports(Term.DURABILITY_BUFFERED));
  }

  @ParameterizedTest
  @MethodSource("kindsThatClaimIt")
  void nothingAcknowledgedIsLost(StoreKind kind) throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    long told = writeAndKill(kind, data);
    assertThat(told).isGreaterThanOrEqualTo(LINES_BEFORE_THE_KILL);

    try (BenchStore store =
        kind.open(data, TestTerms.with(Durability.BUFFERED), TestTerms.EXPECTED_BYTES)) {
      for (long number = 1; number <= told; number++) {
        assertThat(store.get(key(number))).as("entry %s", number).isEqualTo(value(number));
      }
      int entries = store.scan(new byte[] {0}, Integer.MAX_VALUE, (key, value) -> {});
      // The last put may have been acknowledged without being told.
      assertThat((long) entries).isBetween(told, told + 1);
    }
  }

  private long writeAndKill(StoreKind kind, Path data) throws IOException {
    Process child = startWriter(kind, data);
    long told = 0;
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8)) {
      int lines = 0;
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (!line.startsWith(TOLD)) {
          continue;
        }
        told = Long.parseLong(line.substring(TOLD.length()));
        if (++lines == LINES_BEFORE_THE_KILL) {
          // Through its handle: the process object would close the stream that is still read.
          child.toHandle().destroyForcibly();
        }
      }
    } finally {
      child.toHandle().destroyForcibly();
      child.onExit().join();
    }
    return told;
  }

  private Process startWriter(StoreKind kind, Path data) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // What the stores need of a JVM, they need here too.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(command::add);
    // A killed process does not delete the native libraries it unpacked.
    command.add("-Djava.io.tmpdir=" + directory);
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Writer.class.getName());
    command.add(kind.name());
    command.add(data.toString());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
