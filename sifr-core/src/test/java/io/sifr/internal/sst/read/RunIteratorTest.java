package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.IterationCheck;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunIteratorTest {
  @TempDir Path directory;

  /** A run with borders at random places, never within the versions of a key. */
  private static LogicalTree run(WrittenSsts ssts, List<Entry> entries, Random random) {
    List<Sst> run = new ArrayList<>();
    List<Entry> part = new ArrayList<>();
    for (Entry entry : entries) {
      boolean newKey =
          part.isEmpty() || !Arrays.equals(part.get(part.size() - 1).key(), entry.key());
      if (!part.isEmpty() && newKey && random.nextInt(20) == 0) {
        run.add(ssts.write(part));
        part.clear();
      }
      part.add(entry);
    }
    run.add(ssts.write(part));
    return new LogicalTree(1, run);
  }

  @Test
  void iteratesAcrossBordersLikeAList() throws IOException {
    for (Shape shape : Shape.values()) {
      for (long seed = 0; seed < 3; seed++) {
        Random random = new Random(seed);
        List<Entry> entries = EntryDrawing.sortedEntries(shape, 300, random);
        Path place = Files.createDirectory(directory.resolve(shape + "-" + seed));
        try (WrittenSsts ssts = new WrittenSsts(place);
            RunIterator iterator = WrittenSsts.iterator(run(ssts, entries, random), () -> false)) {
          assertThat(IterationCheck.forward(iterator))
              .describedAs("seed %d", seed)
              .isEqualTo(entries);
          assertThat(IterationCheck.backward(iterator))
              .describedAs("seed %d", seed)
              .isEqualTo(entries);
          IterationCheck.atRandom(iterator, entries, shape, 600, seed);
        }
      }
    }
  }

  @Test
  void tellsAtABorderOnlyThatItIsOutdatedAndPinsOneSst() {
    AtomicBoolean outdated = new AtomicBoolean();
    try (WrittenSsts ssts = new WrittenSsts(directory)) {
      Sst first = ssts.write("a1 b2");
      Sst second = ssts.write("c3 d4");
      try (RunIterator iterator =
          WrittenSsts.iterator(new LogicalTree(1, List.of(first, second)), outdated::get)) {
        outdated.set(true);
        assertThat(iterator.seekToFirst()).isTrue();
        assertThat(iterator.next()).isTrue();
        assertThat(Entry.at(iterator)).hasToString("62@2=2 bytes");
        assertThatThrownBy(second::unpin).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(iterator::next).isInstanceOf(OutdatedException.class);
      }
      assertThatThrownBy(first::unpin).isInstanceOf(IllegalStateException.class);
      try (RunIterator iterator =
          WrittenSsts.iterator(new LogicalTree(1, List.of(first, second)), outdated::get)) {
        assertThat(iterator.seekToLast()).isTrue();
        assertThat(iterator.previous()).isTrue();
        assertThatThrownBy(iterator::previous).isInstanceOf(OutdatedException.class);
      }
    }
  }

  @Test
  void anSstThatIsGoneMakesItOutdated() {
    try (WrittenSsts ssts = new WrittenSsts(directory)) {
      Sst first = ssts.write("a1 b2");
      Sst gone = ssts.write("c3 d4");
      try (RunIterator iterator =
          WrittenSsts.iterator(new LogicalTree(1, List.of(first, gone)), () -> false)) {
        assertThat(iterator.seekToFirst()).isTrue();
        ssts.markObsolete(gone);
        assertThat(iterator.next()).isTrue();
        assertThatThrownBy(iterator::next).isInstanceOf(OutdatedException.class);
      }
    }
  }
}
