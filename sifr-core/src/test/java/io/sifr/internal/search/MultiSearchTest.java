package io.sifr.internal.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.Entry;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many keys at once, over trees whose SSTs have several blocks. */
class MultiSearchTest {
  private static final int KEYS = 3000;
  private static final long NOW = 1 << 30;

  @TempDir Path directory;
  private final ReadEpochs epochs = new ReadEpochs();
  private final SearchThreads threads = new SearchThreads(4);
  private final Searchers searchers = new Searchers(threads, epochs);
  private WrittenSsts ssts;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
  }

  @AfterEach
  void end() {
    epochs.drain();
    threads.close();
    ssts.close();
  }

  private static byte[] key(int number) {
    return String.format("key %06d", number).getBytes(UTF_8);
  }

  /** A tree of two SSTs with every so many keys. */
  private LogicalTree tree(Random random, int sequence) {
    List<Sst> halves = new ArrayList<>();
    for (int half = 0; half < 2; half++) {
      List<Entry> entries = new ArrayList<>();
      for (int i = half * KEYS / 2; i < (half + 1) * KEYS / 2; i++) {
        if (random.nextInt(3) == 0) {
          EntryKind kind = random.nextInt(5) == 0 ? EntryKind.DELETE : EntryKind.PUT;
          byte[] value = kind == EntryKind.PUT ? new byte[random.nextInt(100)] : new byte[0];
          random.nextBytes(value);
          entries.add(Entry.of(key(i), sequence, kind, value));
        }
      }
      halves.add(ssts.write(entries));
    }
    return new LogicalTree(ssts.nextNumber(), halves);
  }

  private StoreView view(Random random) {
    Forest forest = Forest.empty(1, "default");
    int sequence = 1;
    for (int stage = 3; stage > 0; stage--) {
      for (int i = 0; i < 2; i++) {
        forest = forest.withTree(stage, tree(random, sequence++));
      }
    }
    return new StoreView(new WriteBuffer(new Memtable(4096)), List.of(), forest);
  }

  private static byte[][] someKeys(Random random, int most) {
    TreeSet<Integer> numbers = new TreeSet<>();
    int count = 1 + random.nextInt(most);
    int first = random.nextInt(KEYS);
    int range = 1 + random.nextInt(KEYS + 100 - first);
    for (int i = 0; i < count; i++) {
      numbers.add(first + random.nextInt(range));
    }
    return numbers.stream().map(MultiSearchTest::key).toArray(byte[][]::new);
  }

  private void check(PointSearch search, StoreView view, byte[][] keys, boolean inParallel) {
    int ticket = epochs.enter();
    try {
      MultiSearch many = new MultiSearch(search, view, keys, NOW, ticket);
      many.find(inParallel);
      PointSearch serial = new PointSearch(searchers, BlockAccess.STORE);
      for (int i = 0; i < keys.length; i++) {
        Lookup lookup = new Lookup(keys[i], 0, keys[i].length);
        lookup.lookFor(NOW);
        byte[] expected = null;
        if (serial.find(SearchScheme.SERIAL, view, lookup, ticket) && !lookup.isTombstone()) {
          expected = new byte[lookup.length()];
          lookup.copyTo(expected, 0);
        }
        assertThat(many.value(i)).isEqualTo(expected);
      }
    } finally {
      epochs.exit(ticket);
    }
  }

  @Test
  void eachKeyHasTheAnswerOfASerialSearch() {
    Random random = new Random(7);
    StoreView view = view(random);
    for (int round = 0; round < 200; round++) {
      PointSearch search = new PointSearch(searchers, new MissingBlocks(round));
      readsAreSlow();
      check(search, view, someKeys(random, 1 << random.nextInt(9)), random.nextInt(4) > 0);
    }
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isPositive();
  }

  /** All keys of the store: there are some hundred to a block, and each block is read once. */
  @Test
  void eachBlockIsReadOnce() {
    StoreView view = view(new Random(1));
    byte[][] all = new byte[KEYS][];
    for (int i = 0; i < KEYS; i++) {
      all[i] = key(i);
    }
    check(new PointSearch(searchers, BlockAccess.STORE), view, all, true);
    CountedReads reads = new CountedReads(); // now that the index is in memory
    check(new PointSearch(searchers, reads), view, all, true);
    assertThat(reads.blocks).hasSizeGreaterThan(20);
    assertThat(reads.changesOfBlock).isEqualTo(reads.blocks.size());
  }

  /** In a serial multi-get nothing is read in vain, and no thread is called. */
  @Test
  void serialReadsOnlyWhatIsNeeded() {
    StoreView view = view(new Random(2));
    check(
        new PointSearch(searchers, new MissingBlocks(3)),
        view,
        someKeys(new Random(4), 300),
        false);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
    assertThat(searchers.counters().get(Metric.USELESS_READS)).isZero();
  }

  /** The keys of the newest tree do not suffer from what is below it; those below do. */
  @Test
  void aFailureCountsForTheKeysThatNeedTheBlock() {
    LogicalTree older = new LogicalTree(ssts.nextNumber(), List.of(ssts.write("a1 b2 c3")));
    LogicalTree newer = new LogicalTree(ssts.nextNumber(), List.of(ssts.write("a4 c5")));
    Forest forest = Forest.empty(1, "default").withTree(1, older).withTree(1, newer);
    StoreView view = new StoreView(new WriteBuffer(new Memtable(4096)), List.of(), forest);
    SstReader broken = older.ssts().get(0).reader();
    PointSearch search = new PointSearch(searchers, new BrokenSst(broken));
    int ticket = epochs.enter();
    MultiSearch fine = new MultiSearch(search, view, keys("a", "c"), NOW, ticket);
    fine.find(true);
    assertThat(fine.value(0)).isEqualTo("a4".getBytes(UTF_8));
    assertThat(fine.value(1)).isEqualTo("c5".getBytes(UTF_8));
    MultiSearch bad = new MultiSearch(search, view, keys("a", "b", "c"), NOW, ticket);
    assertThatThrownBy(() -> bad.find(true)).hasMessage("broken");
    epochs.exit(ticket);
  }

  @Test
  void callersThatKeepAllProcessorsBusyReadByThemselves() {
    Random random = new Random(5);
    StoreView view = view(random);
    byte[][] keys = someKeys(random, 300);
    // Not MissingBlocks: of those it first calls in memory and then not, the searches count as
    // reads, so quick ones that they would not be handed over.
    OnDisk disk = new OnDisk();
    PointSearch search = new PointSearch(searchers, disk);
    int processors = Load.onAllProcessors(searchers);
    readsAreSlow();
    check(search, view, keys, true);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
    disk.fails = true;
    for (int i = 0; i <= processors; i++) {
      assertThatThrownBy(() -> check(search, view, keys, true)).hasMessageContaining("wanted");
    }
    disk.fails = false;
    searchers.callerEnds();
    readsAreSlow();
    check(search, view, keys, true);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isPositive();
  }

  private void readsAreSlow() {
    Load.readsTake(searchers, 10 * AdaptivePolicy.HAND_OFF_NANOS);
  }

  private static byte[][] keys(String... keys) {
    byte[][] bytes = new byte[keys.length][];
    for (int i = 0; i < keys.length; i++) {
      bytes[i] = keys[i].getBytes(UTF_8);
    }
    return bytes;
  }

  /** Counts how often another block is asked for than before, as a cache of one block would see. */
  private static final class CountedReads implements BlockAccess {
    private final TreeSet<String> blocks = new TreeSet<>();
    private String last = "";
    private int changesOfBlock;

    @Override
    public boolean isInMemory(SstReader reader, long block) {
      return true; // so that all is done by one thread, in order
    }

    @Override
    public boolean search(SstReader reader, long block, Lookup probe, Lookup into) {
      String name = reader.meta().number() + "/" + block;
      changesOfBlock += name.equals(last) ? 0 : 1;
      last = name;
      blocks.add(name);
      return STORE.search(reader, block, probe, into);
    }
  }

  /** An SST that is not in memory and cannot be read. */
  private record BrokenSst(SstReader broken) implements BlockAccess {
    @Override
    public boolean isInMemory(SstReader reader, long block) {
      return reader != broken;
    }

    @Override
    public boolean search(SstReader reader, long block, Lookup probe, Lookup into) {
      if (reader == broken) {
        throw new IllegalArgumentException("broken");
      }
      return STORE.search(reader, block, probe, into);
    }
  }
}
