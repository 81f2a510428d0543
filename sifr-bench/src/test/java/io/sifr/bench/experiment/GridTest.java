package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GridTest {
  private final Grid grid =
      new Grid("store", List.of("bytes", "µs"))
          .put("sifr", "bytes", 4)
          .put("sifr", "µs", 0.5)
          .put("rocksdb", "bytes", 8L)
          .put("rocksdb", "µs", null)
          .row("leveldb", Map.of());

  @Test
  void whatIsMissingIsShownSo() {
    assertThat(grid.table().headers()).containsExactly("store", "bytes", "µs");
    assertThat(grid.table().rows())
        .containsExactly(
            List.of("sifr", "4.00", "0.50"),
            List.of("rocksdb", "8.00", Numbers.NONE),
            List.of("leveldb", Numbers.NONE, Numbers.NONE));
    assertThat(grid.put("leveldb", "µs", Double.NaN).get("leveldb", "µs")).isNull();
  }

  @Test
  void rowsAndColumnsChangePlaces() {
    Grid turned = grid.turned();
    assertThat(turned.columns()).containsExactly("sifr", "rocksdb", "leveldb");
    assertThat(turned.rows()).containsExactly("bytes", "µs");
    assertThat(turned.row("bytes"))
        .containsExactly(Map.entry("sifr", 4.0), Map.entry("rocksdb", 8.0));
    assertThat(turned.turned().table().rows()).isEqualTo(grid.table().rows());
  }

  @Test
  void someRowsOrMore() {
    assertThat(grid.only("leveldb", "sifr").rows()).containsExactly("leveldb", "sifr");
    Grid other = new Grid("", List.of("bytes")).put("lmdb", "bytes", 1);
    assertThat(other.and(grid).columns()).containsExactly("bytes");
    assertThat(other.and(grid).rows()).containsExactly("lmdb", "sifr", "rocksdb", "leveldb");
    assertThat(other.rows()).containsExactly("lmdb");
  }

  @Test
  void aGroupOfBarsForEachRow() {
    Block.BarPlot plot = grid.bars("title", Block.Axis.linear("unit"));
    assertThat(plot.categories()).containsExactly("sifr", "rocksdb", "leveldb");
    assertThat(plot.seriesNames()).containsExactly("bytes", "µs");
    assertThat(plot.series().get(1).values()).containsExactly(0.5, null, null);
  }

  @Test
  void figuresAreJudged() {
    assertThat(grid.turned().ratio("bytes", "rocksdb", "sifr").atLeast(2))
        .isEqualTo(Measured.fact("bytes: rocksdb 8.00, sifr 4.00: 2.00 ×", true));
    assertThat(grid.ratioOfRows("bytes", "sifr", "rocksdb").within(0.6, 1))
        .isEqualTo(Measured.fact("bytes: sifr 4.00, rocksdb 8.00: 0.50 ×", false));
    assertThat(grid.reading("sifr", "µs").atMost(0.4))
        .isEqualTo(Measured.fact("sifr: µs 0.50", false));
    assertThat(grid.reading("leveldb", "µs").atMost(1))
        .isEqualTo(Measured.nothing("leveldb: µs: not measured"));
  }
}
