package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class MachineLoadTest {
  private static MachineLoad load(int processors, double before, double after) {
    Iterator<Double> averages = List.of(before, after).iterator();
    return MachineLoad.begin(averages::next, processors);
  }

  @Test
  void loadIsToldAsItWasBeforeAndAfter() {
    assertThat(load(8, 0.5, 3.25).inWords())
        .contains(
            "Load average of the machine: 0.50 before the measurements, 3.25 after them, which"
                + " includes their own, with 8 processors.");
  }

  @Test
  void aBusyMachineIsCalledSo() {
    assertThat(load(2, 0.6, 1).inWords().orElse(""))
        .endsWith(
            "with 2 processors. It was busy with something else when they began: times are"
                + " worse than those of an idle machine, and not equally for all.");
    assertThat(load(1, 0.2, 1).inWords().orElse("")).endsWith("with 1 processor.");
  }

  @Test
  void whereItIsUnknownNothingIsSaid() {
    assertThat(load(2, -1, -1).inWords()).isEmpty();
  }

  @Test
  void itIsThatOfTheSystem() {
    assertThat(MachineLoad.begin().inWords().orElse("Load average of the machine"))
        .startsWith("Load average of the machine");
  }
}
