package io.sifr.internal.state;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.MergeKind;
import io.sifr.internal.forest.Forest;
import io.sifr.spi.MergeOperator;
import io.sifr.spi.MergeOperators;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The merge operators that a store knows, by name. Immutable. */
public final class MergeOperatorTable {
  /** Those of every store. */
  public static final MergeOperatorTable GIVEN = new MergeOperatorTable(Set.of(), false);

  /** The same, for a store in which others may be missing. */
  public static final MergeOperatorTable LENIENT = new MergeOperatorTable(Set.of(), true);

  private final Map<String, MergeOperator> byName = new TreeMap<>();
  private final boolean mayBeMissing;

  /**
   * @param registered in addition to those of every store
   * @param mayBeMissing whether databases may have others, whose operands cannot be resolved
   * @throws IllegalArgumentException when two have one name
   */
  public MergeOperatorTable(Collection<MergeOperator> registered, boolean mayBeMissing) {
    this.mayBeMissing = mayBeMissing;
    MergeOperators.all().forEach(this::add);
    registered.forEach(this::add);
  }

  private void add(MergeOperator operator) {
    if (operator.name() == null) {
      throw new IllegalArgumentException("the merge operator " + operator + " has no name");
    }
    DatabaseOptions.builder().mergeOperator(operator); // checks the name
    MergeOperator other = byName.putIfAbsent(operator.name(), operator);
    if (other != null && other != operator) {
      throw new IllegalArgumentException(
          "there are two merge operators \"" + operator.name() + "\"");
    }
  }

  /**
   * Checks that an operator is known, unless it may be missing.
   *
   * @param name null for none
   * @throws IllegalArgumentException when it is not; the message names those that are
   */
  public void require(String database, @Nullable String name) {
    if (name != null && !mayBeMissing && !byName.containsKey(name)) {
      throw new IllegalArgumentException(
          "the merge operator \""
              + name
              + "\" of database \""
              + database
              + "\" is not registered (Store.Builder.mergeOperator); there are "
              + new TreeSet<>(byName.keySet()));
    }
  }

  /** What entries mean in a database. */
  public EntryKinds in(Forest forest, EntryKinds kinds) {
    String name = forest.options().mergeOperator();
    MergeOperator operator = name == null ? null : byName.get(name);
    return kinds.with(new MergeKind(forest.name(), name, operator));
  }
}
