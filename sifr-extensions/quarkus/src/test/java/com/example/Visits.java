package com.example;

import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.sifr.Store;
import io.sifr.map.Codecs;
import io.sifr.map.SifrMap;

@QuarkusMain
public class Visits implements QuarkusApplication {
  private final SifrMap<String, Long> counts;

  Visits(Store store) {
    counts = SifrMap.over(store.database(), Codecs.strings(), Codecs.longs());
  }

  @Override
  public int run(String... args) {
    System.out.println("starts: " + counts.merge("starts", 1L, Long::sum));
    return 0;
  }
}
