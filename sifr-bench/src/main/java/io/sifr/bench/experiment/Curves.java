package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.measure.Sample;
import io.sifr.bench.report.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Lines that show a load over time. */
final class Curves {
  private Curves() {}

  /** A figure over the user bytes stored so far. */
  static Block.Series byUserBytes(RunResult load, ToDoubleFunction<Sample> figure) {
    double bytesAnOperation = (double) load.userBytes() / load.operations();
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (Sample sample : load.samples()) {
      x.add(Figures.inMib((long) (sample.operations() * bytesAnOperation)));
      y.add(figure.applyAsDouble(sample));
    }
    return new Block.Series(load.store(), x, y);
  }
}
