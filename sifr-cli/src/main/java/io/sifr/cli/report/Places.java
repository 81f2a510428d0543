package io.sifr.cli.report;

import io.sifr.cli.terminal.Units;
import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The shares that the directories of a store have of its SSTs. */
final class Places {
  private final Map<SstPlace, Share> shares = new EnumMap<>(SstPlace.class);

  /** SSTs that lie in one directory. */
  record Share(int ssts, long bytes) {
    private Share plus(Share other) {
      return new Share(ssts + other.ssts, bytes + other.bytes);
    }
  }

  private Places(Collection<ForestShape.Tree> trees) {
    for (ForestShape.Tree tree : trees) {
      tree.ssts().forEach(s -> shares.merge(s.place(), new Share(1, s.bytes()), Share::plus));
    }
  }

  static Places of(ForestShape forest) {
    return new Places(forest.stages().stream().flatMap(stage -> stage.trees().stream()).toList());
  }

  static Places of(ForestShape.Stage stage) {
    return new Places(stage.trees());
  }

  /** Whether all are where nearly all stores have them, so that there is nothing to tell. */
  boolean areUsual() {
    return shares.keySet().stream().allMatch(SstPlace.STORE::equals);
  }

  /** Those in which there are any. */
  Map<SstPlace, Share> shares() {
    return shares;
  }

  /** Its name in a sentence. */
  static String directory(SstPlace place) {
    return switch (place) {
      case STORE -> "the store's directory";
      case FAST -> "the fast directory";
      case COLD -> "the cold directory";
    };
  }

  /** Its name in JSON. */
  static String name(SstPlace place) {
    return place.name().toLowerCase(Locale.ROOT);
  }

  /** In a few words, behind a sum of bytes; empty if there is nothing to tell. */
  String words() {
    if (areUsual()) {
      return "";
    }
    return shares.size() == 1
        ? " in " + directory(shares.keySet().iterator().next())
        : shares.entrySet().stream()
            .map(each -> Units.bytes(each.getValue().bytes()) + " in " + directory(each.getKey()))
            .collect(Collectors.joining(", ", ": ", ""));
  }
}
