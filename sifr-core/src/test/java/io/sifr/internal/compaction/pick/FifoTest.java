package io.sifr.internal.compaction.pick;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.PolicyRules;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FifoTest {
  private static final Fifo RULE = new Fifo(300 << 10, Fifo.ANY_AGE);

  private static String dropped(Forest forest) {
    return PolicyRules.plans(RULE, Picture.of(forest)).stream()
        .map(plan -> plan.inputs().stream().map(ForestDrawing::print).toList().toString())
        .collect(Collectors.joining());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "'' ; ''",
        "S1: [a:100K]; ''",
        "S1: [c:100K] [b:100K] [a:100K]; ''",
        "S1: [d:1K] [c:100K] [b:100K] [a:100K]; [[a:100K]]",
        // However much more it is, one after the other.
        "S1: [f:900K] [e:900K] [d:900K]; [[d:900K]]",
        // The newest stays.
        "S1: [a:900K]; ''",
        // As another policy has left them.
        "S1: [d:100K] | S2: [c:100K] | S3: [b:100K] [a:100K]; [[a:100K]]",
      })
  void theOldestTreeBeyondTheSizeIsDropped(String drawing, String expected) {
    assertThat(dropped(ForestDrawing.parse(drawing))).isEqualTo(expected);
  }

  /** At 1000, when a tree may be 100 old. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; ''; never",
        "S1: [a@900]; [[a]]; never",
        "S1: [a@901]; ''; 1001",
        "S1: [c@990] [b@950] [a@800]; [[a]]; never",
        "S1: [c@990] [b@950] [a@901]; ''; 1001",
        // All of it: the newest entry counts.
        "S1: [c@990] [b@950] [a-c@20 d@930 e@800]; ''; 1030",
        // Ingested files may be older than what is there: it goes first.
        "S1: [b@100] [a@950]; ''; 1050",
        // As another policy has left them.
        "S1: [c@990] | S2: [b@950] | S3: [a@800]; [[a]]; never",
        // The clock was wrong.
        "S1: [b@100] [a@2000]; ''; 2100",
        "S1: [b@100] [a@9223372036854775807]; ''; never",
        // It is not known how old it is.
        "S1: [b@100] [a]; ''; never",
        // Too much is dropped whatever its age.
        "S1: [b:200K@990] [a:200K@950]; [[a:200K]]; never",
      })
  void theOldestTreeBeyondTheAgeIsDropped(String drawing, String expected, String nextLook) {
    Fifo rule = new Fifo(300 << 20, 100);
    if (drawing.contains("K")) {
      rule = new Fifo(300 << 10, 100);
    }
    Picture picture = Picture.of(ForestDrawing.parse(drawing), new long[0], 1000);
    String dropped =
        PolicyRules.plans(rule, picture).stream()
            .map(plan -> plan.inputs().stream().map(ForestDrawing::print).toList().toString())
            .collect(Collectors.joining());
    assertThat(dropped).isEqualTo(expected);
    Look look = rule.propose(picture, proposal -> {});
    assertThat(look)
        .isEqualTo(nextLook.equals("never") ? Look.NEVER : Look.at(Long.parseLong(nextLook)));
  }

  /** Else a newer tree would go before an older one. */
  @Test
  void nothingIsDroppedBeforeTheOldestIsGone() {
    Forest forest = ForestDrawing.parse("S1: [d:200K] [c:100K] [b:100K] [a:100K]");
    CompactionPlan plan = PolicyRules.plans(RULE, Picture.of(forest)).get(0);
    assertThat(plan.shape()).isEqualTo(Shape.DROPS);
    assertThat(plan.spans()).containsExactly(KeySpan.ALL);
    Forest begun = forest.apply(new ForestEdit.CompactionBegun(1, plan.compaction(90), 1));
    assertThat(dropped(begun)).isEmpty();
    Forest gone = begun.apply(CompactionEdits.progress(90, KeySpan.ALL, List.of()));
    assertThat(dropped(gone.withEnded(90))).isEqualTo("[[b:100K]]");
    assertThat(gone.withEnded(90).byPriority()).extracting(LogicalTree::id).contains(1L, 2L, 3L);
  }

  @Test
  void dropsGoFirstAndWritersNeverWait() {
    Forest forest = ForestDrawing.parse("S1: [d:200K] [c:100K] [b:100K] [a:100K]");
    Proposal proposal = PolicyRules.proposals(RULE, Picture.of(forest)).get(0);
    assertThat(proposal.priority()).isEqualTo(Priority.DROP);
    assertThat(proposal.inputBytes()).isZero();
    assertThat(RULE.debt(forest)).isZero();
  }
}
