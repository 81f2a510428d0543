package io.sifr.internal.compaction.merge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Of values below the length from which on they are apart, the files are byte for byte the same as
 * in a database in which none is: those of flushes and of compactions.
 */
class SmallValuesStayTest {
  private static final int FLUSHES = 3;
  private static final int ENTRIES = 5000;
  private static final int KEYS = 20_000;
  private static final int LONGEST_VALUE = 128;

  @TempDir Path parent;

  private static TaskEnvironment environment(
      WrittenSsts ssts, Path directory, SstAccess access, int separateFrom) {
    Random ids = new Random(3); // which are part of all checksums
    return new TaskEnvironment(
        new TaskEnvironment.Files(
            ssts.fileSystem(), directory, access, ssts::nextNumber, ids::nextLong),
        new TaskEnvironment.Output(
            1,
            Codecs.NONE,
            10,
            new SstSizes(64 << 10, 64 << 10, 1 << 20, 0),
            Guards.NONE,
            separateFrom),
        new TaskEnvironment.Entries(EntryKinds.STANDARD, 0),
        TaskEnvironment.Progress.UNWATCHED);
  }

  private static Memtable memtable(int flush) {
    Random random = new Random(flush);
    Memtable memtable = new Memtable(4 << 20);
    for (int i = 0; i < ENTRIES; i++) {
      byte[] key = String.format("user%016d", random.nextInt(KEYS)).getBytes(UTF_8);
      boolean isDelete = random.nextInt(20) == 0;
      byte[] value = new byte[isDelete ? 0 : 100 + random.nextInt(LONGEST_VALUE - 99)];
      random.nextBytes(value);
      long sequence = 1L + (long) flush * ENTRIES + i;
      EntryKind kind = isDelete ? EntryKind.DELETE : EntryKind.PUT;
      memtable.add(Trailer.of(sequence, kind.code()), key, 0, key.length, value, 0, value.length);
    }
    return memtable;
  }

  private static final class Written implements PartTask.Progress {
    private final List<Sst> ssts = new ArrayList<>();

    @Override
    public void begins(long bytes) {}

    @Override
    public void written(Sst sst) {
      ssts.add(sst);
    }

    @Override
    public void wroteValues(long bytes) {
      throw new AssertionError("no value is apart");
    }

    @Override
    public void moved(Sst sst) {
      throw new AssertionError("all is rewritten");
    }

    @Override
    public void stays(Sst sst) {
      throw new AssertionError("all is rewritten");
    }

    @Override
    public void reached(byte[] frontier, long droppedEntries) {}
  }

  /** The files of some flushes, and of a compaction of all that they have written. */
  private Map<String, byte[]> files(int separateFrom) throws IOException {
    Path directory = Files.createDirectory(parent.resolve("from" + separateFrom));
    try (WrittenSsts ssts = new WrittenSsts(directory);
        SstAccess access = SstAccess.mapped(ssts.fileSystem(), directory, BlockCodecs.STANDARD)) {
      TaskEnvironment environment = environment(ssts, directory, access, separateFrom);
      Forest forest = Forest.empty(1, "default");
      List<Sst> all = new ArrayList<>();
      for (int flush = 0; flush < FLUSHES; flush++) {
        List<Sst> written =
            new FlushTask(environment, memtable(flush), DeadSpans.NONE, new long[0], List.of())
                .run();
        forest = forest.withTree(1, new LogicalTree(90 + flush, written));
        all.addAll(written);
      }
      CompactionPlan plan =
          CompactionPlan.intoNewTree(
              forest, forest.stage(1), KeySpan.ALL, 2, Compaction.Shape.REWRITES);
      Written compacted = new Written();
      new PartTask(environment, plan, KeySpan.ALL, new long[0], compacted).run();
      assertThat(compacted.ssts).hasSizeGreaterThan(3);
      all.addAll(compacted.ssts);
      assertThat(all).extracting(Sst::meta).allMatch(meta -> meta.values().isEmpty());
      assertThat(all.stream().map(Sst::meta).mapToLong(SstMeta::entries).sum())
          .isGreaterThan(FLUSHES * ENTRIES);
      Map<String, byte[]> files = new TreeMap<>();
      try (Stream<Path> listed = Files.list(directory)) {
        for (Path file : listed.toList()) {
          files.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
      }
      all.forEach(sst -> sst.markObsolete(() -> {}));
      return files;
    }
  }

  @Test
  void filesAreTheSameByteForByte() throws IOException {
    Map<String, byte[]> never = files(0);
    assertThat(never.keySet()).allMatch(name -> name.endsWith(".sst"));
    for (int from : new int[] {LONGEST_VALUE + 1, DatabaseOptions.DEFAULT.separateValuesFrom()}) {
      Map<String, byte[]> files = files(from);
      assertThat(files.keySet()).isEqualTo(never.keySet());
      files.forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(never.get(name)));
    }
  }
}
