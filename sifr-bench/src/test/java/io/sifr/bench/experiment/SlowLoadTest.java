package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sifr.bench.report.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("process")
class SlowLoadTest {
  @TempDir Path directory;

  @BeforeEach
  void askForTheRight() {
    assumeThat(SlowDisk.obstacle(laboratory())).isEmpty();
  }

  private Laboratory laboratory() {
    return new Laboratory(
        Scale.TINY, 1, () -> false, directory, (spec, memory) -> List.of(), what -> {});
  }

  @Test
  void countsWhatTheSlowDiskIsGivenAndLeavesNothing() throws IOException {
    SlowLoad forest = SlowLoad.run(laboratory(), Form.FOREST);
    assertThat(forest.slowBytesPerByte()).isBetween(1.0, 30.0);
    assertThat(forest.slowMegabytesPerSecond()).isPositive();
    assertThat(forest.firstStage()).isNotEmpty();
    assertThat(forest.compactions())
        .hasSize(forest.firstStage().size() + forest.furtherStages().size());
    Block.Series line = forest.slowBytesBySize();
    assertThat(line.name()).isEqualTo("sifr");
    assertThat(line.y().get(line.y().size() - 1)).isPositive();
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aDiskIsSlowUntilItIsClosed() throws IOException {
    Path limits = Path.of("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device");
    List<String> before = Files.readAllLines(limits);
    try (SlowDisk disk = SlowDisk.create(laboratory(), 1)) {
      assertThat(Files.readAllLines(limits)).isEqualTo(before);
      disk.slowDown();
      assertThat(Files.readAllLines(limits))
          .hasSize(before.size() + 1)
          .anyMatch(limit -> limit.endsWith(" 100000000"));
    }
    assertThat(Files.readAllLines(limits)).isEqualTo(before);
  }

  @Test
  void rowsAreNotCounted() throws IOException {
    Path left = Files.createDirectories(directory.resolve("sifr-bench-fast"));
    Files.createFile(left.resolve("of-a-killed-process"));
    SlowLoad forest = SlowLoad.run(laboratory(), Form.FOREST);
    SlowLoad rows = SlowLoad.run(laboratory(), Form.ROWS);
    assertThat(rows.slowBytes()).isLessThan(forest.slowBytes());
  }

  /** A store would refuse its fast directory, and end all experiments. */
  @Test
  void thereIsNoneWhereTheDirectoryIsInMemory() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeThat(memory).isDirectory();
    assumeThat(Files.getFileStore(memory).type()).isEqualTo("tmpfs");
    Laboratory laboratory =
        new Laboratory(Scale.TINY, 1, () -> false, memory, (spec, limit) -> List.of(), what -> {});
    for (String name : List.of("write-stalls", "tail", "hints")) {
      assertThat(Experiments.run(name, laboratory, found -> {}).report().sections().get(2).blocks())
          .filteredOn(Block.Missing.class::isInstance)
          .asString()
          .contains("/dev/shm is in memory");
    }
  }

  @Test
  void eachFormIsLoadedOnceForAllExperiments() {
    Laboratory laboratory = laboratory();
    assertThat(laboratory.slowLoad(Form.ROCKSDB)).isSameAs(laboratory.slowLoad(Form.ROCKSDB));
  }
}
