package io.sifr.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.memtable.Memtable;
import io.sifr.testing.ForestDrawing;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreViewTest {
  private static WriteBuffer buffer() {
    return new WriteBuffer(new Memtable(4096));
  }

  @Test
  void fullBuffersWaitNewestFirstAndLeaveWithTheForestThatHoldsThem() {
    WriteBuffer first = buffer();
    WriteBuffer second = buffer();
    WriteBuffer third = buffer();
    Forest empty = Forest.empty(1, "default");
    StoreView.Holder holder = new StoreView.Holder(new StoreView(first, List.of(), empty));
    holder.update(view -> view.rotated(second));
    holder.update(view -> view.rotated(third));
    assertThat(holder.get().active()).isSameAs(third);
    assertThat(holder.get().immutables()).containsExactly(second, first);
    Forest flushed = ForestDrawing.parse("S1: [a]");
    StoreView before = holder.get();
    holder.update(view -> view.flushed(first, flushed));
    assertThat(holder.get()).isEqualTo(new StoreView(third, List.of(second), flushed));
    assertThat(before.immutables()).hasSize(2);
    assertThat(holder.get().withForest(empty).immutables()).containsExactly(second);
  }

  @Test
  void aBufferNotesTheFirstSegmentOnly() {
    WriteBuffer buffer = buffer();
    assertThat(buffer.firstSegment()).isEqualTo(WriteBuffer.NO_SEGMENT);
    buffer.loggedIn(WriteBuffer.NO_SEGMENT);
    buffer.loggedIn(4);
    buffer.loggedIn(5);
    assertThat(buffer.firstSegment()).isEqualTo(4);
  }

  @Test
  void aViewNeedsTheOldestSegmentOfItsBuffers() {
    WriteBuffer first = buffer();
    WriteBuffer second = buffer();
    StoreView view = new StoreView(first, List.of(), Forest.empty(1, "default"));
    assertThat(view.firstSegment()).isEqualTo(WriteBuffer.NO_SEGMENT);
    second.loggedIn(7);
    assertThat(view.rotated(second).firstSegment()).isEqualTo(7);
    first.loggedIn(4);
    assertThat(view.firstSegment()).isEqualTo(4);
    assertThat(view.rotated(second).firstSegment()).isEqualTo(4);
    assertThat(view.rotated(second).flushed(first, view.forest()).firstSegment()).isEqualTo(7);
  }
}
