package io.sifr.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sifr.event.StoreListener.CompactionEvent;
import io.sifr.event.StoreListener.CompactionInputs;
import io.sifr.event.StoreListener.CompactionOutput;
import io.sifr.event.StoreListener.FailureEvent;
import io.sifr.event.StoreListener.FlushEvent;
import io.sifr.event.StoreListener.Ssts;
import io.sifr.event.StoreListener.StallEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreListenerTest {
  private static final Ssts NONE = new Ssts(0, 0);
  private static final FlushEvent FLUSH = new FlushEvent("a", 1, NONE, 1);
  private static final CompactionEvent COMPACTION =
      new CompactionEvent(
          "a",
          CompactionReason.STAGE_FULL,
          new CompactionInputs(1, 2, NONE, null),
          new CompactionOutput(2, NONE, NONE, 0),
          1);
  private static final StallEvent STALL = new StallEvent("a", 1);
  private static final FailureEvent FAILURE = new FailureEvent("flush", new Error());

  /** Notes all events, and may throw then. */
  private record Notes(List<Object> events, boolean throwsThen) implements StoreListener {
    private void note(Object event) {
      events.add(event);
      if (throwsThen) {
        throw new IllegalStateException("of a test");
      }
    }

    @Override
    public void flushed(FlushEvent event) {
      note(event);
    }

    @Override
    public void compacted(CompactionEvent event) {
      note(event);
    }

    @Override
    public void stalled(StallEvent event) {
      note(event);
    }

    @Override
    public void failed(FailureEvent event) {
      note(event);
    }
  }

  @Test
  void bothAreNotifiedAlsoIfTheFirstThrows() {
    List<Object> first = new ArrayList<>();
    List<Object> second = new ArrayList<>();
    StoreListener both = new Notes(first, true).and(new Notes(second, false));
    List<Runnable> events =
        List.of(
            () -> both.flushed(FLUSH),
            () -> both.compacted(COMPACTION),
            () -> both.stalled(STALL),
            () -> both.failed(FAILURE));
    for (Runnable event : events) {
      assertThatIllegalStateException().isThrownBy(event::run).withMessage("of a test");
    }
    assertThat(first).containsExactly(FLUSH, COMPACTION, STALL, FAILURE);
    assertThat(second).isEqualTo(first);
  }
}
