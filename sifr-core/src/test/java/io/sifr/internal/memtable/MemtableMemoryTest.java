package io.sifr.internal.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemtableMemoryTest {
  private final AtomicInteger changes = new AtomicInteger();
  private final MemtableMemory.Budget budget =
      new MemtableMemory.Budget(1000, changes::incrementAndGet);
  private final AtomicInteger asked = new AtomicInteger();

  /** The memory of one more store. */
  private MemtableMemory store() {
    MemtableMemory memory = new MemtableMemory(budget);
    memory.flushBy(asked::incrementAndGet);
    return memory;
  }

  /** Makes what is written to wait for its flush. */
  private static void rotate(MemtableMemory memory, long bytes) {
    memory.addWaiting(bytes);
  }

  private static void flushed(MemtableMemory memory, long bytes) {
    memory.addUsed(-bytes);
    memory.addWaiting(-bytes);
  }

  @Test
  void whatIsWrittenToShrinksFromHalfOfItToAQuarter() {
    MemtableMemory memory = new MemtableMemory(1000);
    memory.addUsed(500);
    assertThat(memory.isExcessive()).isFalse();
    memory.addUsed(1);
    assertThat(memory.isExcessive()).isTrue();
    assertThat(memory.takeExcess()).isEqualTo(251);
    assertThat(memory.isExcessive()).isFalse();
    memory.addWaiting(251);
    memory.addUsed(250);
    assertThat(memory.isExcessive()).isFalse();
    memory.addUsed(1);
    assertThat(memory.takeExcess()).isEqualTo(251);
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
  void theLargestAreAskedUntilAllTogetherTakeAQuarter() {
    MemtableMemory small = store();
    MemtableMemory large = store();
    MemtableMemory writing = store();
    small.addUsed(50);
    large.addUsed(300);
    writing.addUsed(151);
    // 50 + 100 + 100
    assertThat(small.isExcessive()).isFalse();
    assertThat(large.takeExcess()).isEqualTo(200);
    assertThat(asked).as("the one that writes flushes on its own").hasValue(1);
    assertThat(writing.takeExcess()).isEqualTo(51);
  }

  @Test
  void aStoreIsAskedOnceUntilItHasFlushed() {
    MemtableMemory large = store();
    MemtableMemory writing = store();
    large.addUsed(490);
    for (int i = 0; i < 5; i++) {
      writing.addUsed(5);
    }
    assertThat(asked).hasValue(1);
    rotate(large, large.takeExcess());
    large.addUsed(480);
    assertThat(asked).as("it writes on its own").hasValue(1);
    large.takeExcess();
    writing.addUsed(1);
    assertThat(asked).hasValue(2);
  }

  /** Nothing of it is flushed, and it is not made to wait. */
  @Test
  void aStoreWithLittleDoesNotDependOnOneWhoseFlushesFail() {
    MemtableMemory failing = store();
    MemtableMemory small = store();
    failing.addUsed(1000);
    rotate(failing, failing.takeExcess());
    assertThat(failing.isFull()).isTrue();
    for (int i = 0; i < 49; i++) {
      small.addUsed(10);
      assertThat(small.isFull()).isFalse();
      assertThat(small.fill()).isLessThan(1);
    }
    if (small.isExcessive()) {
      rotate(small, small.takeExcess());
    }
    assertThat(small.active()).as("what it keeps without a flush").isGreaterThanOrEqualTo(125);
    assertThat(small.isFull()).isFalse();
    small.addUsed(10);
    assertThat(small.fill()).isEqualTo(1);
  }

  @Test
  void aStoreThatTakesMoreThanItsShareWaitsForFlushesOfItsOwn() {
    MemtableMemory failing = store();
    MemtableMemory writing = store();
    failing.addUsed(800);
    rotate(failing, 800);
    writing.addUsed(500);
    assertThat(writing.isExcessive()).as("it has no flush to wait for").isTrue();
    rotate(writing, 400);
    assertThat(writing.isFull()).isTrue();
    flushed(writing, 400);
    assertThat(writing.isFull()).isFalse();
  }

  @Test
  void aStoreThatIsClosedGivesBackWhatItHas() {
    MemtableMemory closing = store();
    MemtableMemory other = store();
    closing.addUsed(700);
    rotate(closing, 300);
    other.addUsed(10);
    closing.close();
    assertThat(budget.used()).isEqualTo(10);
    assertThat(budget.share()).isEqualTo(1000);
    closing.addUsed(-400); // too late to count
    rotate(closing, -300);
    assertThat(budget.used()).isEqualTo(10);
    other.addUsed(490);
    other.takeExcess();
    assertThat(other.isExcessive()).isFalse();
    other.addUsed(1);
    assertThat(other.takeExcess()).isEqualTo(251);
  }

  @Test
  void eachChangeIsTold() {
    MemtableMemory memory = store();
    memory.addUsed(1);
    memory.addUsed(-1);
    assertThat(changes).hasValue(2);
  }

  /** Whatever stores do: what they take is bounded, and each may take its share. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void storesInTurnsStayWithinTheirBounds(long seed) {
    Random random = new Random(seed);
    int count = 1 + random.nextInt(6);
    int failing = random.nextInt(count + 1); // none, perhaps
    List<MemtableMemory> stores = new ArrayList<>();
    long[] waiting = new long[count];
    for (int i = 0; i < count; i++) {
      stores.add(store());
    }
    for (int step = 0; step < 20_000; step++) {
      int i = random.nextInt(count);
      MemtableMemory memory = stores.get(i);
      if (!memory.isFull()) {
        memory.addUsed(1);
      }
      if (memory.isExcessive()) {
        long bytes = memory.takeExcess();
        rotate(memory, bytes);
        waiting[i] += bytes;
      }
      int done = random.nextInt(count);
      if (done != failing && random.nextInt(20) == 0) {
        flushed(stores.get(done), waiting[done]);
        waiting[done] = 0;
      }
      assertThat(memory.used() < budget.share() && memory.isFull()).isFalse();
      assertThat(budget.used())
          .as("seed %d, step %d", seed, step)
          .isLessThanOrEqualTo(failing < count ? 2000 : 1000 + count);
    }
  }
}
