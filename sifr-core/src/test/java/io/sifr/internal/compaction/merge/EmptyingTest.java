package io.sifr.internal.compaction.merge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.value.ValueFiles;
import io.sifr.testing.Entry;
import io.sifr.testing.WrittenSsts;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A compaction that copies values out of a value file. */
class EmptyingTest {
  private static final int ENTRIES = 400;
  private static final int VALUE_BYTES = 300;
  private static final int RECORD_BYTES = 48 + 4 + VALUE_BYTES + 8;

  @TempDir Path directory;
  private WrittenSsts ssts;
  private SstAccess access;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
    access = SstAccess.mapped(ssts.fileSystem(), directory, BlockCodecs.STANDARD);
  }

  @AfterEach
  void end() {
    access.close();
    ssts.close();
  }

  /** SSTs of about so many bytes, value files of 32 times as many. */
  private TaskEnvironment environment(long sstBytes) {
    Random ids = new Random(3);
    return new TaskEnvironment(
        new TaskEnvironment.Files(
            ssts.fileSystem(), directory, access, ssts::nextNumber, ids::nextLong),
        new TaskEnvironment.Output(
            1, Codecs.NONE, 0, new SstSizes(sstBytes, sstBytes, 1 << 20, 0), Guards.NONE, 100),
        new TaskEnvironment.Entries(EntryKinds.STANDARD, 0),
        TaskEnvironment.Progress.UNWATCHED);
  }

  /** The SST of a flush whose values are in one value file. */
  private Sst flushed(int from, int to) {
    Memtable memtable = new Memtable(1 << 20);
    for (int i = from; i < to; i++) {
      byte[] key = key(i);
      memtable.add(
          Entry.of(key, 1 + i, EntryKind.PUT, new byte[0]).trailer(),
          key,
          0,
          key.length,
          value(i),
          0,
          VALUE_BYTES);
    }
    List<Sst> written =
        new FlushTask(environment(64 << 10), memtable, DeadSpans.NONE, new long[0], List.of())
            .run();
    assertThat(written).hasSize(1);
    assertThat(written.get(0).meta().values()).hasSize(1);
    return written.get(0);
  }

  private static byte[] key(int number) {
    return String.format("%04d", number).getBytes(UTF_8);
  }

  private static byte[] value(int number) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(number).nextBytes(value);
    return value;
  }

  /** Reads what is in the files at every moment at which it may be committed. */
  private final class Committing implements PartTask.Progress {
    private final List<Sst> written = new ArrayList<>();
    private final List<Long> announced = new ArrayList<>();
    private long copied;
    private int readUpTo;
    private int commits;

    @Override
    public void begins(long bytes) {
      announced.add(bytes);
    }

    @Override
    public void written(Sst sst) {
      written.add(sst);
    }

    @Override
    public void wroteValues(long bytes) {
      copied += bytes;
    }

    @Override
    public void moved(Sst sst) {
      throw new AssertionError("nothing is moved");
    }

    @Override
    public void stays(Sst sst) {
      throw new AssertionError("nothing stays");
    }

    @Override
    public void reached(byte[] frontier, long droppedEntries) {
      commits++;
      try (ValueFiles files = new ValueFiles(ssts.fileSystem(), directory, Codecs::withId)) {
        int number = 0;
        for (Sst sst : written) {
          for (Entry entry : WrittenSsts.read(sst)) {
            assertThat(entry.key()).isEqualTo(key(number));
            Reference of = Reference.decode(ByteBuffer.wrap(entry.value()));
            byte[] value = new byte[of.valueBytes()];
            files.read(of, entry.key(), 0, value.length, value, 0);
            assertThat(value).isEqualTo(value(number));
            number++;
          }
        }
        readUpTo = number;
      }
      assertThat(Arrays.compareUnsigned(key(readUpTo - 1), frontier)).isLessThanOrEqualTo(0);
    }
  }

  @Test
  void copiesAreDurableWhenTheyMayBeCommittedAndOthersStay() {
    Sst emptied = flushed(0, ENTRIES);
    Sst other = flushed(ENTRIES, 2 * ENTRIES);
    long file = emptied.meta().values().get(0).file();
    long kept = other.meta().values().get(0).file();
    LogicalTree tree = new LogicalTree(90, List.of(emptied, other));
    Forest forest = Forest.empty(1, "default").withTree(1, tree);
    CompactionPlan plan = CompactionPlan.emptying(forest, tree, List.of(KeySpan.ALL), Set.of(file));
    Committing progress = new Committing();
    new PartTask(environment(1000), plan, KeySpan.ALL, new long[0], progress).run();

    assertThat(progress.readUpTo).isEqualTo(2 * ENTRIES);
    assertThat(progress.commits).isBetween(3, ENTRIES / 5);
    assertThat(progress.copied).isEqualTo((long) ENTRIES * RECORD_BYTES);
    // Space for the copies is reserved before they are written, and not for what stays.
    assertThat(progress.announced.get(0)).isBetween(progress.copied, 2 * progress.copied);
    assertThat(progress.announced.get(progress.announced.size() - 1)).isLessThan(20_000L);
    List<Long> files =
        progress.written.stream()
            .flatMap(sst -> sst.meta().values().stream())
            .map(ValueUse::file)
            .distinct()
            .toList();
    assertThat(files).doesNotContain(file).contains(kept);
    // The files are not as many as the SSTs.
    assertThat(files.size()).isLessThan(progress.written.size() / 2);

    for (Sst input : List.of(emptied, other)) {
      input.discard(ssts.fileSystem(), directory);
    }
    assertThat(ssts.fileSystem().exists(FileKind.VALUES.path(directory, file))).isFalse();
    assertThat(ssts.fileSystem().exists(FileKind.VALUES.path(directory, kept))).isTrue();
    progress.written.forEach(sst -> sst.markObsolete(() -> {}));
  }

  @Test
  void aFileThatIsToBeLeftIsNotCopied() {
    Sst emptied = flushed(0, ENTRIES);
    long file = emptied.meta().values().get(0).file();
    access.values().leave(file);
    LogicalTree tree = new LogicalTree(90, List.of(emptied));
    Forest forest = Forest.empty(1, "default").withTree(1, tree);
    Committing progress = new Committing();
    CompactionPlan plan = CompactionPlan.emptying(forest, tree, List.of(KeySpan.ALL), Set.of(file));
    new PartTask(environment(64 << 10), plan, KeySpan.ALL, new long[0], progress).run();
    assertThat(progress.copied).isZero();
    assertThat(progress.written).hasSize(1);
    assertThat(progress.written.get(0).meta().values()).isEqualTo(emptied.meta().values());
    emptied.markObsolete(() -> {});
    progress.written.forEach(sst -> sst.markObsolete(() -> {}));
  }
}
