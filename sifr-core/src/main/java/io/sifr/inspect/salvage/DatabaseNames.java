package io.sifr.inspect.salvage;

import io.sifr.config.DatabaseOptions;
import io.sifr.inspect.Finding;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.state.Databases;
import io.sifr.internal.util.KeyText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses the names under which databases are rescued. */
final class DatabaseNames {
  /** Id of the database that every store has and that cannot be dropped. */
  private static final int DEFAULT_ID = 1;

  private final Map<Integer, String> names = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  /** Databases with the entries of indexes, which are built again. */
  private final Set<Integer> indexes = new HashSet<>();

  private final Map<Integer, DatabaseOptions> options;
  private final Set<Integer> dropped;
  private final Set<Finding> notes;
  private final Path directory;

  DatabaseNames(Path directory, StoreKnowledge knowledge, Set<Finding> notes) {
    this.directory = directory;
    this.notes = notes;
    this.options = knowledge.databases().options();
    this.dropped = knowledge.databases().dropped();
    use(DEFAULT_ID, Databases.DEFAULT_NAME);
    knowledge.databases().names().forEach(this::useOrRename);
  }

  /** The first database is always the default one, and some names are not allowed. */
  private void useOrRename(int id, String name) {
    if (id != DEFAULT_ID && IndexName.isOne(name)) {
      indexes.add(id);
      return;
    }
    if (id != DEFAULT_ID && DatabaseOptions.isAllowedName(name)) {
      use(id, name);
    } else if (id != DEFAULT_ID) {
      use(id, unused("salvaged-" + id));
    }
    if (!DatabaseOptions.isAllowedName(name)
        || (id == DEFAULT_ID && !name.equals(Databases.DEFAULT_NAME))) {
      notes.add(
          new Finding(
              directory,
              0,
              "the manifest names database "
                  + id
                  + " "
                  + KeyText.of(name.getBytes(StandardCharsets.UTF_8))
                  + ", which it cannot be: it is now "
                  + names.get(id)));
    }
  }

  private void use(int id, String name) {
    names.put(id, used.contains(name) ? unused(name) : name);
    used.add(names.getOrDefault(id, name));
  }

  private String unused(String wanted) {
    String name = wanted;
    for (int i = 2; used.contains(name); i++) {
      name = wanted + "-" + i;
    }
    return name;
  }

  /** The names that are in use, with the options of their databases. */
  Map<String, DatabaseOptions> options() {
    Map<String, DatabaseOptions> byName = new HashMap<>();
    names.forEach(
        (id, name) -> byName.put(name, options.getOrDefault(id, DatabaseOptions.DEFAULT)));
    return byName;
  }

  /** The name of the database with that id; null when it was dropped, or has an index. */
  @Nullable String of(int id, Path at) {
    if (dropped.contains(id) || indexes.contains(id)) {
      return null;
    }
    String name = names.get(id);
    if (name == null) {
      name = unused("salvaged-" + id);
      use(id, name);
      notes.add(
          new Finding(at, 0, "nothing tells the name of database " + id + ": it is now " + name));
    }
    return name;
  }

  /**
   * A name for the entries of an SST whose database is unknown. Each such SST gets a database of
   * its own: in a common one, entries of several databases would hide each other.
   */
  String ofUnknown(Path sst, long number) {
    String name = unused("salvaged-sst-" + number);
    used.add(name);
    notes.add(new Finding(sst, 0, "nothing tells its database: its entries are now in " + name));
    return name;
  }
}
