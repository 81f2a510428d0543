package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.DiskFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random work, and after each step of it what a power failure might leave: a prefix of what was
 * appended, with all that was confirmed as durable, and never an error.
 */
@Tag("crash")
@Tag("disk")
class WalPowerFailureTest {
  private static final int SEEDS = 15;
  private static final int OPERATIONS = 120;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void whatIsLeftIsAPrefixWithAllThatWasConfirmed(LogAccess access) throws IOException {
    int images = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Path own = Files.createDirectory(directory.resolve("seed-" + seed));
      images += new Run(access, own, seed).run();
    }
    assertThat(images).isGreaterThan(SEEDS * 20);
  }

  private final class Run {
    private final LossyFileSystem files = new LossyFileSystem();
    private final LogAccess access;
    private final long seed;
    private final Random random;
    private final WalTesting log;

    private final List<Long> segmentOfRecord = new ArrayList<>();
    private long confirmed;
    private long firstNeeded;
    private int images;

    Run(LogAccess access, Path own, long seed) {
      this.access = access;
      this.seed = seed;
      this.random = new Random(seed);
      this.log = new WalTesting(files, own);
    }

    int run() {
      long segmentBytes = 4096L * (1 + random.nextInt(3));
      try (WalWriter writer =
          log.open(
              access, random.nextBoolean() ? WalTesting.DIRECT : WalTesting.NEVER, segmentBytes)) {
        firstNeeded = writer.activeSegment();
        files.afterEachStep(this::sometimesLookAtACrash);
        for (int i = 0; i < OPERATIONS; i++) {
          step(writer);
          sometimesLookAtACrash();
        }
        files.afterEachStep(() -> {});
      }
      return images;
    }

    private void step(WalWriter writer) {
      int choice = random.nextInt(20);
      if (choice == 0) {
        writer.sync();
        confirmed = log.lastSequence();
      } else if (choice == 1) {
        long[] segments = writer.segments();
        firstNeeded = segments[random.nextInt(segments.length)];
        writer.release(firstNeeded);
      } else {
        int bytes = random.nextInt(choice == 2 ? 20_000 : 700);
        segmentOfRecord.add(log.append(writer, bytes, 1 + random.nextInt(3)));
      }
    }

    private void sometimesLookAtACrash() {
      if (random.nextInt(4) == 0) {
        Path image = directory.resolve("image-" + access + "-" + seed + "-" + images++);
        try {
          Files.createDirectory(image);
          files.crashInto(image, random);
          assertThatCode(() -> check(image))
              .describedAs("seed %d", seed)
              .doesNotThrowAnyException();
          deleteAll(image);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }

    private void check(Path image) {
      List<WalTesting.Batch> needed = new ArrayList<>();
      int confirmedRecords = 0;
      for (int i = 0; i < segmentOfRecord.size(); i++) {
        if (segmentOfRecord.get(i) >= firstNeeded) {
          WalTesting.Batch batch = log.appended().get(i);
          needed.add(batch);
          confirmedRecords += batch.firstSequence() <= confirmed ? 1 : 0;
        }
      }
      List<WalTesting.Batch> replayed =
          WalTesting.replay(new DiskFileSystem(), image, firstNeeded).batches();
      assertThat(replayed).hasSizeBetween(confirmedRecords, needed.size());
      assertThat(replayed).isEqualTo(needed.subList(0, replayed.size()));
    }

    private void deleteAll(Path image) throws IOException {
      try (Stream<Path> content = Files.list(image)) {
        for (Path file : content.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(image);
    }
  }
}
