package io.sifr.internal.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class MemtableMemoryTest {
  @Test
  void whatIsWrittenToShrinksFromHalfOfItToAQuarter() {
    MemtableMemory memory = new MemtableMemory(1000);
    memory.addUsed(500);
    assertThat(memory.excess()).isZero();
    memory.addUsed(1);
    assertThat(memory.excess()).isEqualTo(251);
    memory.addWaiting(251);
    assertThat(memory.excess()).isZero();
    memory.addUsed(250);
    assertThat(memory.excess()).isZero();
    memory.addUsed(1);
    assertThat(memory.excess()).isEqualTo(251);
  }

  @Test
  void isFullOnlyIfAFlushWillGiveSomeBack() {
    MemtableMemory memory = new MemtableMemory(1000);
    memory.addUsed(1000);
    assertThat(memory.isFull()).isFalse();
    memory.addWaiting(300);
    assertThat(memory.isFull()).isTrue();
    memory.addUsed(-1);
    assertThat(memory.isFull()).isFalse();
  }

  @Test
  void isAQuarterOfTheHeapButAtLeastThreeWriteBuffers() {
    long heap = Runtime.getRuntime().maxMemory();
    assertThat(limit(MemtableMemory.of(OptionalLong.of(1 << 20), 1 << 24))).isEqualTo(1 << 20);
    assertThat(limit(MemtableMemory.of(OptionalLong.empty(), 4096))).isEqualTo(heap / 4);
    assertThat(limit(MemtableMemory.of(OptionalLong.empty(), heap))).isEqualTo(3 * heap);
  }

  /** What is used when it is full. */
  private static long limit(MemtableMemory memory) {
    memory.addWaiting(1);
    long used = 0;
    for (long step = Long.highestOneBit(Long.MAX_VALUE / 2); step > 0; step /= 2) {
      memory.addUsed(step);
      if (memory.isFull()) {
        memory.addUsed(-step);
      } else {
        used += step;
      }
    }
    return used + 1;
  }
}
