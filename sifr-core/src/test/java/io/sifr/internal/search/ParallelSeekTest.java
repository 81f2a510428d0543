package io.sifr.internal.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MergingIterator.Seeker;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.ReadEpochs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ParallelSeekTest {
  private final ReadEpochs epochs = new ReadEpochs();
  private final SearchThreads searchThreads = new SearchThreads(4);
  private final Searchers searchers = new Searchers(searchThreads, epochs);
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() {
    epochs.drain(); // nobody may be inside any more
    searchThreads.close();
  }

  private Seeker seeker(SearchScheme scheme) {
    return RangePlan.of(scheme, searchers, epochs).seeker();
  }

  private void readsTake(long nanos) {
    Load.readsTake(searchers, nanos);
  }

  /** Each waits for all the others: one by one they would wait for ever. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SERIAL")
  void iteratorsThatMustReadArePositionedInParallel(SearchScheme scheme) {
    CyclicBarrier all = new CyclicBarrier(4);
    Input[] inputs = new Input[7];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = i % 2 == 0 ? new Input(false, () -> all.await()) : new Input(true, () -> {});
    }
    seeker(scheme).seek(inputs, EntryIterator.Target.FIRST);
    assertThat(inputs).allMatch(input -> input.led == 1);
    assertThat(threads).hasSizeGreaterThanOrEqualTo(4).contains(Thread.currentThread());
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isEqualTo(3);
  }

  @Test
  void nothingIsHandedOverForASingleRead() {
    Input[] inputs = {
      new Input(true, () -> {}), new Input(false, () -> {}), new Input(true, () -> {})
    };
    seeker(SearchScheme.FIXED_COUNT).seek(inputs, EntryIterator.Target.LAST);
    assertThat(inputs).allMatch(input -> input.led == 1);
    assertThat(threads).containsExactly(Thread.currentThread());
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
  }

  @Test
  void adaptiveHandsNothingOverWhileReadsAreQuick() {
    readsTake(AdaptivePolicy.HAND_OFF_NANOS / 2);
    Input[] inputs = {new Input(false, () -> {}), new Input(false, () -> {})};
    seeker(SearchScheme.ADAPTIVE).seek(inputs, EntryIterator.Target.LAST);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
    readsTake(10 * AdaptivePolicy.HAND_OFF_NANOS);
    seeker(SearchScheme.ADAPTIVE).seek(inputs, EntryIterator.Target.LAST);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isEqualTo(1);
    assertThat(inputs).allMatch(input -> input.led == 2);
  }

  @Test
  void adaptiveHandsNothingOverWhileCallersKeepAllProcessorsBusy() {
    readsTake(10 * AdaptivePolicy.HAND_OFF_NANOS);
    int processors = Load.onAllProcessors(searchers);
    Input[] inputs = {new Input(false, () -> {}), new Input(false, () -> {})};
    seeker(SearchScheme.ADAPTIVE).seek(inputs, EntryIterator.Target.LAST);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
    Input[] failing = {new Input(false, () -> fail("wanted"))};
    for (int i = 0; i <= processors; i++) {
      assertThatThrownBy(
              () -> seeker(SearchScheme.ADAPTIVE).seek(failing, EntryIterator.Target.LAST))
          .hasMessageContaining("wanted");
    }
    searchers.callerEnds();
    readsTake(10 * AdaptivePolicy.HAND_OFF_NANOS);
    seeker(SearchScheme.ADAPTIVE).seek(inputs, EntryIterator.Target.LAST);
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isEqualTo(1);
  }

  @Test
  void serialNeedsNoThreads() {
    assertThat(RangePlan.of(SearchScheme.SERIAL, searchers, epochs)).isEqualTo(RangePlan.ALONE);
    assertThat(RangePlan.ALONE.seeker()).isSameAs(OverlappedSeek.SEEKER);
    assertThat(RangePlan.ALONE.helper().tryRun(() -> {})).isFalse();
  }

  /** Nothing but the seeks needs anything of what an iterator has found before. */
  @ParameterizedTest
  @EnumSource
  void whatSeeksInMemoryReadIsTouchedBefore(SearchScheme scheme) {
    List<String> calls = new ArrayList<>();
    Input[] inputs = new Input[3];
    for (int i = 0; i < inputs.length; i++) {
      int number = i;
      inputs[i] =
          new Input(true, () -> calls.add("seek " + number)) {
            @Override
            public long prepare(EntryIterator.Target to) {
              calls.add("prepare " + number);
              return number; // the first one does not get ready
            }

            @Override
            public void locate(EntryIterator.Target to, EntryIterator.Lines into) {
              calls.add("locate " + number);
            }
          };
    }
    EntryIterator.Target to = EntryIterator.Target.at(new byte[] {1}, 0, 1, 1);
    seeker(scheme).seek(inputs, to);
    assertThat(String.join(", ", calls))
        .isEqualTo(
            "prepare 0, prepare 1, prepare 2, locate 0, locate 1, locate 2, seek 0, seek 1, seek"
                + " 2");
  }

  /** The seek of the iterator that needs it will report it, if there is one. */
  @Test
  void whatCannotBeTouchedStopsNoSeek() {
    Input[] inputs = new Input[2];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] =
          new Input(true, () -> {}) {
            @Override
            public long prepare(EntryIterator.Target to) {
              return 1;
            }

            @Override
            public void locate(EntryIterator.Target to, EntryIterator.Lines into) {
              into.add(ByteBuffer.allocate(8), 0);
              throw new InternalError("a fault of a page");
            }
          };
    }
    EntryIterator.Target to = EntryIterator.Target.at(new byte[] {1}, 0, 1, 1);
    seeker(SearchScheme.ADAPTIVE).seek(inputs, to);
    assertThat(inputs).allMatch(input -> input.led == 1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SERIAL")
  void idleSearchersReadAheadOfAnIterator(SearchScheme scheme) throws InterruptedException {
    readsTake(10 * AdaptivePolicy.HAND_OFF_NANOS);
    ReadAhead.Helper helper = RangePlan.of(scheme, searchers, epochs).helper();
    CountDownLatch begun = new CountDownLatch(4);
    CountDownLatch mayEnd = new CountDownLatch(1);
    Runnable read =
        () -> {
          threads.add(Thread.currentThread());
          begun.countDown();
          Uninterruptibles.awaitUninterruptibly(mayEnd);
        };
    for (int i = 0; i < 4; i++) {
      assertThat(helper.tryRun(read)).isTrue();
    }
    begun.await();
    assertThat(helper.tryRun(read)).as("nobody is idle").isFalse();
    mayEnd.countDown();
    assertThat(threads).hasSize(4).doesNotContain(Thread.currentThread());
  }

  @Test
  void noSearcherReadsAheadWhileReadsAreFastUnlessForced() {
    readsTake(AdaptivePolicy.HAND_OFF_NANOS / 2);
    for (SearchScheme scheme : SearchScheme.values()) {
      assertThat(RangePlan.of(scheme, searchers, epochs).helper().tryRun(() -> {}))
          .as("%s", scheme)
          .isEqualTo(scheme != SearchScheme.SERIAL && scheme != SearchScheme.ADAPTIVE);
    }
  }

  /** The caller would close inputs otherwise that others are still using. */
  @Test
  void aFailureIsThrownWhenAllHaveArrived() {
    CountDownLatch failing = new CountDownLatch(1);
    AtomicBoolean arrived = new AtomicBoolean();
    Input[] inputs = {
      new Input(
          false,
          () -> {
            failing.countDown();
            throw new IllegalArgumentException("it is damaged");
          }),
      new Input(
          false,
          () -> {
            failing.await();
            while (System.nanoTime() % 1_000_000 > 1000) {
              Thread.onSpinWait(); // long enough for the caller to come first
            }
            arrived.set(true);
          })
    };
    assertThatThrownBy(() -> seeker(SearchScheme.ADAPTIVE).seek(inputs, EntryIterator.Target.FIRST))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("it is damaged");
    assertThat(arrived).isTrue();
  }

  @Test
  void anInterruptIsKept() {
    CyclicBarrier both = new CyclicBarrier(2);
    Thread caller = Thread.currentThread();
    Input[] inputs = new Input[2];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] =
          new Input(
              false,
              () -> {
                both.await();
                if (Thread.currentThread() != caller) {
                  caller.interrupt();
                }
              });
    }
    seeker(SearchScheme.PRIORITY_AWARE).seek(inputs, EntryIterator.Target.FIRST);
    assertThat(inputs).allMatch(input -> input.led == 1);
    assertThat(Thread.interrupted()).isTrue();
  }

  /** What an input does on its way. */
  private interface Way {
    void go() throws InterruptedException, BrokenBarrierException;
  }

  /** Goes nowhere, but may take its time. */
  private class Input implements EntryIterator {
    private final boolean isInMemory;
    private final Way way;
    private int led; // whoever leads it writes it; lead() comes after

    Input(boolean isInMemory, Way way) {
      this.isInMemory = isInMemory;
      this.way = way;
    }

    private boolean isLed() {
      threads.add(Thread.currentThread());
      try {
        way.go();
      } catch (InterruptedException | BrokenBarrierException e) {
        throw new AssertionError(e);
      }
      led++;
      return false;
    }

    @Override
    public boolean isInMemory(EntryIterator.Target to) {
      return isInMemory;
    }

    @Override
    public boolean seekToFirst() {
      return isLed();
    }

    @Override
    public boolean seekToLast() {
      return isLed();
    }

    @Override
    public boolean seek(byte[] key, int offset, int length, long trailer) {
      return isLed();
    }

    @Override
    public boolean seekBefore(byte[] key, int offset, int length) {
      return isLed();
    }

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public boolean previous() {
      return false;
    }

    @Override
    public boolean valid() {
      return false;
    }

    @Override
    public byte[] keyArray() {
      return Bytes.EMPTY;
    }

    @Override
    public int keyOffset() {
      return 0;
    }

    @Override
    public int keyLength() {
      return 0;
    }

    @Override
    public long trailer() {
      return 0;
    }

    @Override
    public int valueLength() {
      return 0;
    }

    @Override
    public void copyValue(byte[] target, int offset) {}

    @Override
    public ByteBuffer value() {
      return ByteBuffer.allocate(0);
    }

    @Override
    public void close() {}
  }
}
