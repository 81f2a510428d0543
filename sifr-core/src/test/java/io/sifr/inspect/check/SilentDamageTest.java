package io.sifr.inspect.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.inspect.check.DamagedReading.Outcome;
import io.sifr.inspect.check.DamagedReading.Tolerance;
import io.sifr.internal.format.FileKind;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One flipped bit anywhere in a store is noticed when the store is opened, when what it hits is
 * read, or at the latest by a check; or it changes no answer. Which bytes may change without being
 * noticed is told by {@link #mayGoUnnoticed} and by {@code src-docs/damage.md}.
 *
 * <p>A longer run, which also tells how the damage showed: {@code -Dsifr.damage.flips=20000};
 * another first seed: {@code -Dsifr.damage.seed=…}.
 */
@Tag("damage")
class SilentDamageTest {
  private static final int FLIPS = Integer.getInteger("sifr.damage.flips", 200);
  private static final long FIRST_SEED = Long.getLong("sifr.damage.seed", 1);
  private static final int FLIPS_A_STORE = 100;

  /** From so many flips on a run is a long one. */
  private static final int LONG_RUN = 2000;

  /** In a long run, every byte of a file of each kind of so many stores is hit as well. */
  private static final int STORES_FLIPPED_WHOLLY = 2;

  private static final int MOST_BYTES = 8192;

  @TempDir Path temporary;
  private final Map<String, Map<Outcome, Integer>> outcomes = new TreeMap<>();

  @Test
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void noFlippedBitGivesAWrongAnswer() throws IOException {
    int done = 0;
    for (long seed = FIRST_SEED; done < FLIPS; seed++) {
      boolean closed = seed % 2 == 0;
      Random random = new Random(seed);
      Path parent = Files.createDirectory(temporary.resolve("seed-" + seed));
      DrawnStore drawn =
          closed ? DrawnStore.closed(random, parent) : DrawnStore.killed(random, parent);
      DamagedReading reading = new DamagedReading(drawn);
      BitFlip.Chooser chooser =
          new BitFlip.Chooser(drawn.directory(), closed ? "closed" : "killed");
      for (int i = 0; i < FLIPS_A_STORE && done < FLIPS; i++, done++) {
        look(seed, drawn, reading, chooser.any(random), random);
      }
      if (FLIPS >= LONG_RUN) {
        if (seed < FIRST_SEED + STORES_FLIPPED_WHOLLY) {
          for (BitFlip flip : chooser.everyByteOfAFileOfEachKind(random, MOST_BYTES)) {
            look(seed, drawn, reading, flip, random);
          }
        }
        outcomes.forEach((where, counts) -> System.out.println(where + " " + counts));
      }
    }
    assertThat(outcomes).hasSizeGreaterThan(20);
  }

  private void look(
      long seed, DrawnStore drawn, DamagedReading reading, BitFlip flip, Random random)
      throws IOException {
    Path copy = temporary.resolve("copy");
    copyLinked(drawn.directory(), copy, flip.file());
    flip.applyTo(copy);
    try {
      Outcome outcome = reading.look(copy, flip, tolerance(flip), random.nextInt(10) == 0);
      if (outcome == Outcome.HARMLESS && !mayGoUnnoticed(flip)) {
        throw new AssertionError("nothing noticed it");
      }
      outcomes
          .computeIfAbsent(flip.kind() + ", " + flip.region(), where -> new TreeMap<>())
          .merge(outcome, 1, Integer::sum);
    } catch (RuntimeException | Error e) {
      throw new AssertionError("seed " + seed + ": " + flip, e);
    } finally {
      delete(copy);
    }
  }

  /** What the formats cannot tell from a crash: the end of a log that was not synced. */
  private static Tolerance tolerance(BitFlip flip) {
    return FileKind.WAL.numberOf(flip.file()).isPresent()
        ? Tolerance.WRITES_NOT_DURABLE
        : Tolerance.NOTHING;
  }

  private static boolean mayGoUnnoticed(BitFlip flip) {
    return tolerance(flip) != Tolerance.NOTHING
        || flip.isPadding()
        || flip.isInSyncedRecord()
        || flip.file().equals("LOCK");
  }

  /** Copies what a store changes in place, and links the rest, which it only deletes. */
  private static void copyLinked(Path from, Path to, String changed) throws IOException {
    Files.createDirectory(to);
    for (Path file : Directories.files(from)) {
      Path target = to.resolve(file.getFileName());
      String name = file.getFileName().toString();
      if (FileKind.SST.numberOf(name).isPresent() && !name.equals(changed)) {
        Files.createLink(target, file);
      } else {
        Files.copy(file, target);
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    for (Path file : Directories.files(directory)) {
      Files.delete(file);
    }
    Files.delete(directory);
  }
}
