package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.bench.compare.MadeUp;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.KeySpace;
import io.sifr.event.CompactionReason;
import io.sifr.event.StoreListener.CompactionEvent;
import io.sifr.event.StoreListener.CompactionInputs;
import io.sifr.event.StoreListener.CompactionOutput;
import io.sifr.event.StoreListener.Keys;
import io.sifr.event.StoreListener.Ssts;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys of a compaction are drawn as a part of the key space. */
class SpanTest {
  private static final KeySpace SPACE = new KeySpace(23, 1000, 7);

  private static CompactionEvent event(@Nullable Keys keys) {
    Ssts ssts = new Ssts(1, 4096);
    return new CompactionEvent(
        "default",
        CompactionReason.STAGE_FULL,
        new CompactionInputs(1, 2, ssts, keys),
        new CompactionOutput(2, ssts, new Ssts(0, 0), 0),
        1);
  }

  private static Span span(@Nullable Keys keys) {
    return Span.of(event(keys), SPACE);
  }

  @Test
  void endsThatAreOpenAreThoseOfTheKeySpace() {
    assertThat(span(new Keys(null, null))).isEqualTo(new Span(0, 100));
    assertThat(span(new Keys(SPACE.key(250), null)).begin()).isCloseTo(25, within(0.2));
    assertThat(span(new Keys(SPACE.key(250), null)).end()).isEqualTo(100);
    assertThat(span(new Keys(null, SPACE.key(250))).width()).isCloseTo(25, within(0.2));
    assertThat(span(new Keys(SPACE.key(250), SPACE.key(500))).width()).isCloseTo(25, within(0.2));
    assertThat(span(null).width()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 22, 23, 24, 40})
  void aKeyOfAnyLengthHasAPlaceAlsoWhenItIsCut(int keyBytes) {
    KeySpace space = new KeySpace(keyBytes, 1000, 7);
    for (int entry = 0; entry < 1000; entry += 100) {
      assertThat(space.part(space.key(entry))).isCloseTo(entry / 1000.0, within(0.002));
      assertThat(space.part(Arrays.copyOf(space.key(entry), keyBytes - 1)))
          .isCloseTo(entry / 1000.0, within(0.002));
    }
    assertThat(space.part(new byte[0])).isZero();
  }

  @Test
  void columnsAreDrawnOneAfterTheOther() {
    SlowLoad load =
        new SlowLoad(
            Form.COLUMNS,
            MadeUp.result(Form.COLUMNS.kind(), "fillrandom", 1),
            1,
            List.of(),
            List.of(
                event(new Keys(null, SPACE.key(500))),
                event(new Keys(SPACE.key(500), SPACE.key(800))),
                event(new Keys(SPACE.key(800), null))));
    List<Block.Series> series = Columns.places(load, SPACE);
    assertThat(series).extracting(Block.Series::name).containsExactly("begin", "end");
    assertThat(series.get(0).x()).containsExactly(1.0, 2.0, 3.0);
    assertThat(series.get(0).y().get(2)).isEqualTo(series.get(1).y().get(1));
    assertThat(series.get(1).y().get(0)).isCloseTo(50, within(0.2));
    assertThat(series.get(1).y().get(2)).isEqualTo(100);
  }
}
