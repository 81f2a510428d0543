package io.sifr.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectReadsTest {
  private static final int AT_ONCE = 6;

  @TempDir private Path directory;

  private DirectReads open() throws IOException {
    Files.write(directory.resolve("1.sst"), new byte[64 << 12]);
    Files.write(directory.resolve("2.sst"), new byte[100]); // too short for a page
    Files.write(directory.resolve("3.log"), new byte[64 << 12]);
    try {
      DirectReads reads = new DirectReads(directory, ".sst", AT_ONCE);
      reads.oneByOne(1);
      return reads;
    } catch (UnsupportedOperationException e) {
      assumeTrue(false, e.getMessage());
      throw e;
    }
  }

  @Test
  void readsComeToAnEndHoweverOftenAndWithHoweverManyThreads() throws IOException {
    try (DirectReads reads = open()) {
      for (int i = 0; i < 2_000; i++) {
        assertTrue(reads.atOnce(1 + i % AT_ONCE) > 0);
      }
    }
  }

  @Test
  void tooManyAtOnceAreRefused() throws IOException {
    try (DirectReads reads = open()) {
      Exception refused =
          assertThrows(IllegalArgumentException.class, () -> reads.atOnce(AT_ONCE + 1));
      assertEquals("count is 7; allowed: 1 to 6", refused.getMessage());
    }
  }

  @Test
  void threadsEndWithIt() throws Exception {
    List<Thread> before = readers();
    DirectReads reads = open();
    reads.atOnce(AT_ONCE);
    List<Thread> its = readers();
    its.removeAll(before);
    assertEquals(AT_ONCE - 1, its.size(), its::toString);
    reads.close();
    for (Thread thread : its) {
      thread.join();
    }
  }

  private static List<Thread> readers() {
    return new ArrayList<>(
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("direct-reads"))
            .toList());
  }
}
