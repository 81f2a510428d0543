package io.sifr.internal.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.memtable.EntryTree.OrderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OrderWordTest {
  @Test
  void followsAListThroughInsertionsAndReplacements() {
    Random random = new Random(9);
    for (int round = 0; round < 5_000; round++) {
      int used = random.nextInt(OrderWord.SLOTS + 1);
      long order = OrderWord.ascending(used);
      List<Integer> model = new ArrayList<>();
      for (int slot = 0; slot < used; slot++) {
        model.add(slot);
      }
      while (used < OrderWord.SLOTS) {
        if (random.nextBoolean() && !model.isEmpty()) {
          int rank = random.nextInt(model.size());
          order = OrderWord.replace(order, rank);
          model.set(rank, used++);
        } else {
          int rank = random.nextInt(model.size() + 1);
          order = OrderWord.insert(order, rank);
          model.add(rank, used++);
        }
        assertThat(slots(order)).isEqualTo(model);
        assertThat(OrderWord.used(order)).isEqualTo(used);
      }
    }
  }

  private static List<Integer> slots(long order) {
    List<Integer> slots = new ArrayList<>();
    for (int rank = 0; rank < OrderWord.count(order); rank++) {
      slots.add(OrderWord.slot(order, rank));
    }
    return slots;
  }
}
