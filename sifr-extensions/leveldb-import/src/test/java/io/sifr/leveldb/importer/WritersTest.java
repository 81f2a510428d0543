package io.sifr.leveldb.importer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Imports what other programs have written, for {@code writers/run}: of a directory {@code x} the
 * file {@code x.expected} has all entries, as the writer itself reads them. Then flips one bit
 * anywhere in any file, and imports again: that has to fail, or to give the same.
 */
@EnabledIfSystemProperty(named = "sifr.leveldb.writers", matches = ".+")
class WritersTest {
  private static final HexFormat HEX = HexFormat.of();

  private final Path made = Path.of(System.getProperty("sifr.leveldb.writers", ""));
  private final int flips = Integer.getInteger("sifr.leveldb.flips", 2000);
  private final long seed = Long.getLong("sifr.leveldb.seed", 1);
  private final List<String> report = new ArrayList<>();

  @TempDir Path directory;

  private List<Path> sources() throws IOException {
    try (Stream<Path> all = Files.list(made)) {
      return all.filter(path -> path.toString().endsWith(".expected"))
          .map(path -> Path.of(path.toString().replaceAll("\\.expected$", "")))
          .sorted()
          .toList();
    }
  }

  private static Map<String, String> expected(Path source) throws IOException {
    Map<String, String> entries = new TreeMap<>();
    try (Stream<String> lines = Files.lines(Path.of(source + ".expected"))) {
      lines.forEach(
          line -> {
            int space = line.indexOf(' ');
            entries.put(line.substring(0, space), line.substring(space + 1));
          });
    }
    return entries;
  }

  @Test
  void allEntriesAreThereAndDamageIsNeverSilent() throws IOException {
    List<Path> sources = sources();
    assertThat(sources).as("directories in %s", made).isNotEmpty();
    List<String> wrong = new ArrayList<>();
    int done = 0;
    for (int i = 0; i < sources.size(); i++) {
      Path source = sources.get(i);
      Imported whole = Imported.of(source, directory.resolve("whole-" + i));
      assertThat(whole.error()).as("%s", source).isEmpty();
      assertThat(whole.entries(HEX)).as("%s", source).isEqualTo(expected(source));
      int until = (int) ((long) flips * (i + 1) / sources.size());
      wrong.addAll(flip(source, whole, until - done, new Random(seed + i)));
      done = until;
    }
    report.add(done + " flips, seed " + seed + ", wrong: " + wrong.size());
    Files.write(Path.of("target", "writers.txt"), report);
    assertThat(wrong).isEmpty();
  }

  /** Flips bits of a directory, one at a time, and returns the cases that were silently wrong. */
  private List<String> flip(Path source, Imported whole, int count, Random random)
      throws IOException {
    List<String> wrong = new ArrayList<>();
    int refused = 0;
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.list(source)) {
      all.filter(file -> Files.isRegularFile(file) && file.toFile().length() > 0)
          .sorted()
          .forEach(files::add);
    }
    long total = files.stream().mapToLong(file -> file.toFile().length()).sum();
    for (int i = 0; i < count; i++) {
      // Half of them at any byte, half in any file, so that small files and ends get their share.
      Path file = files.get(random.nextInt(files.size()));
      long at = random.nextLong(file.toFile().length());
      if (i % 2 == 0) {
        at = random.nextLong(total);
        int number = 0;
        while (at >= files.get(number).toFile().length()) {
          at -= files.get(number++).toFile().length();
        }
        file = files.get(number);
      } else if (i % 4 == 1) {
        at = Math.max(0, file.toFile().length() - 1 - random.nextInt(64));
      }
      int bit = random.nextInt(Byte.SIZE);
      Bits.flip(file, at, bit);
      Imported damaged = Imported.of(source, directory.resolve("damaged"));
      Bits.flip(file, at, bit);
      if (!damaged.error().isEmpty()) {
        refused++;
      } else if (!damaged.isSameAs(whole)) {
        wrong.add(file + " byte " + at + " bit " + bit);
      }
      damaged.delete();
    }
    report.add(
        String.format(
            "%-24s %7d entries imported as written; %d flips: %d refused, %d right, %d wrong",
            source.getFileName(),
            whole.count(),
            count,
            refused,
            count - refused - wrong.size(),
            wrong.size()));
    return wrong;
  }
}
