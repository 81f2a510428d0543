package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Database;
import io.sifr.Index;
import io.sifr.cli.terminal.Units;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IndexOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.config.Spelling;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.spi.MergeOperator;
import io.sifr.spi.MergeOperators;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sifr databases} and the commands under it. */
@Command(
    name = "databases",
    footer = {"  sifr databases fruit", "  sifr databases create --db fruit sold"},
    description = "Shows the databases of a store, or changes them.")
final class DatabasesCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  @Spec private @Nullable CommandSpec spec;

  private DatabasesCommand(CliContext context) {
    this.context = context;
  }

  static CommandLine commandLine(CliContext context) {
    return new CommandLine(new DatabasesCommand(context))
        .addSubcommand(new Create(context))
        .addSubcommand(new Drop(context))
        .addSubcommand(new DropIndex(context));
  }

  @Override
  public Integer call() throws IOException {
    List<ForestShape> forests = new ArrayList<>();
    List<DatabaseOptions> options = new ArrayList<>();
    requireNoMisspeltCommand();
    try (OpenStore store = OpenStore.openToRead(context, directory.directory())) {
      for (String name : store.store().databaseNames()) {
        forests.add(store.database(name).forest());
        options.add(store.database(name).options());
      }
    }
    if (json.isJson()) {
      JsonMixin.writeObject(context.console(), fields -> writeFields(fields, forests, options));
    } else {
      for (int i = 0; i < forests.size(); i++) {
        ForestShape forest = forests.get(i);
        context
            .console()
            .println(
                String.format(
                    Locale.ROOT,
                    "%-24s %12s  %s, %s%s",
                    forest.database(),
                    Units.bytes(forest.bytes()),
                    Units.count(forest.trees(), "tree"),
                    Units.count(forest.ssts(), "SST"),
                    text(options.get(i))));
      }
    }
    return ExitCodes.OK;
  }

  /** A word after {@code databases} is a command or the directory. */
  private void requireNoMisspeltCommand() {
    Path chosen = directory.directory();
    if (directory.isArgument() && !Files.exists(chosen)) {
      List<String> meant =
          Spelling.nearest(
              chosen.toString(), List.copyOf(Objects.requireNonNull(spec).subcommands().keySet()));
      if (!meant.isEmpty()) {
        throw new CommandFailure(
            ExitCodes.USAGE,
            "neither a command nor a directory: '"
                + chosen
                + "'; did you mean "
                + String.join(" or ", meant)
                + "?");
      }
    }
  }

  private static String text(DatabaseOptions options) {
    StringBuilder text = new StringBuilder();
    if (options.mergeOperator() != null) {
      text.append(", merge operator ").append(options.mergeOperator());
    }
    if (options.compactionFilter() != null) {
      text.append(", compaction filter ").append(options.compactionFilter());
    }
    if (options.filterPrefix() != null) {
      text.append(", filter prefix ").append(options.filterPrefix());
    }
    for (IndexOptions index : options.indexes()) {
      text.append(index.isUnique() ? ", unique index " : ", index ").append(index.name());
      text.append(" by ").append(index.extractor());
    }
    if (options.expireAfter() != null) {
      text.append(", expires after ").append(options.expireAfter());
    }
    if (options.compression() != null) {
      text.append(", compression ").append(options.compression());
    }
    int apart = options.separateValuesFrom();
    if (apart != DatabaseOptions.DEFAULT.separateValuesFrom()) {
      text.append(apart == 0 ? ", no values apart" : ", values apart from " + Units.bytes(apart));
    }
    return text.toString();
  }

  private static void writeFields(
      JsonGenerator fields, List<ForestShape> forests, List<DatabaseOptions> options)
      throws IOException {
    fields.writeArrayFieldStart("databases");
    for (int i = 0; i < forests.size(); i++) {
      ForestShape forest = forests.get(i);
      fields.writeStartObject();
      fields.writeStringField("name", forest.database());
      fields.writeNumberField("bytes", forest.bytes());
      fields.writeNumberField("trees", forest.trees());
      fields.writeNumberField("ssts", forest.ssts());
      String operator = options.get(i).mergeOperator();
      if (operator != null) {
        fields.writeStringField("mergeOperator", operator);
      }
      String filter = options.get(i).compactionFilter();
      if (filter != null) {
        fields.writeStringField("compactionFilter", filter);
      }
      KeyPrefix prefix = options.get(i).filterPrefix();
      if (prefix != null) {
        fields.writeStringField("filterPrefix", prefix.toString());
      }
      writeIndexes(fields, options.get(i).indexes());
      Duration expiry = options.get(i).expireAfter();
      if (expiry != null) {
        fields.writeStringField("expireAfter", expiry.toString());
      }
      Compression compression = options.get(i).compression();
      if (compression != null) {
        fields.writeStringField("compression", compression.name());
      }
      fields.writeNumberField("separateValuesFrom", options.get(i).separateValuesFrom());
      fields.writeEndObject();
    }
    fields.writeEndArray();
  }

  private static void writeIndexes(JsonGenerator fields, List<IndexOptions> indexes)
      throws IOException {
    if (indexes.isEmpty()) {
      return;
    }
    fields.writeArrayFieldStart("indexes");
    for (IndexOptions index : indexes) {
      fields.writeStartObject();
      fields.writeStringField("name", index.name());
      fields.writeStringField("extractor", index.extractor());
      fields.writeBooleanField("unique", index.isUnique());
      fields.writeEndObject();
    }
    fields.writeEndArray();
  }

  /** {@code sifr databases create}. */
  @Command(
      name = "create",
      footer = {
        "  sifr databases create --db fruit sold",
        "  sifr databases create --db fruit --expire-after PT24H sessions"
      },
      description = "Creates a database, and the store when there is none in the directory.")
  static final class Create implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();

    @Parameters(paramLabel = "NAME", description = "Name of the database, 1 to 255 characters.")
    private String name = "";

    @Option(
        names = "--merge-operator",
        paramLabel = "NAME",
        description = "Its merge operator: ${COMPLETION-CANDIDATES}, or one of a program's own.",
        completionCandidates = GivenOperators.class)
    private @Nullable String mergeOperator;

    @Option(
        names = "--compaction-filter",
        paramLabel = "NAME",
        description = "Its compaction filter, one of a program's own. Default: none.")
    private @Nullable String compactionFilter;

    @Option(
        names = "--filter-prefix",
        paramLabel = "PREFIX",
        description =
            "The parts of keys that its filters know, too: length:N or separator:XX, a byte in hexadecimal digits. Default: none.",
        converter = PrefixConverter.class)
    private @Nullable KeyPrefix filterPrefix;

    @Option(
        names = "--expire-after",
        paramLabel = "DURATION",
        description =
            "For how long values are there, for instance PT24H or P30D. Default: for ever.")
    private @Nullable Duration expireAfter;

    @Option(
        names = "--compression",
        paramLabel = "NAME",
        description =
            "How its blocks are stored: ${COMPLETION-CANDIDATES}. Default: as the store's settings say.")
    private @Nullable Compression compression;

    @Option(
        names = "--separate-values-from",
        paramLabel = "BYTES",
        description =
            "The length from which on values are stored apart from their keys; 0: none is. Default: 16384.")
    private int separateValuesFrom = DatabaseOptions.DEFAULT.separateValuesFrom();

    Create(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() {
      DatabaseOptions options =
          DatabaseOptions.builder()
              .mergeOperator(mergeOperator)
              .compactionFilter(compactionFilter)
              .filterPrefix(filterPrefix)
              .expireAfter(expireAfter)
              .compression(compression)
              .separateValuesFrom(separateValuesFrom)
              .build();
      try (OpenStore store = OpenStore.open(context, directory.directory(), StoreOptions.DEFAULT)) {
        Database unused = store.store().createDatabase(name, options);
      }
      return ExitCodes.OK;
    }
  }

  private static final class PrefixConverter implements CommandLine.ITypeConverter<KeyPrefix> {
    @Override
    public KeyPrefix convert(String text) {
      try {
        return KeyPrefix.parse(text);
      } catch (IllegalArgumentException e) {
        throw new CommandLine.TypeConversionException(e.getMessage());
      }
    }
  }

  private static final class GivenOperators implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return MergeOperators.all().stream().map(MergeOperator::name).iterator();
    }
  }

  /** {@code sifr databases drop}. */
  @Command(
      name = "drop",
      footer = {"  sifr databases fruit", "  sifr databases drop --db fruit sold"},
      description = "Removes a database with all its data.")
  static final class Drop implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();

    @Parameters(paramLabel = "NAME", description = "Name of the database.")
    private String name = "";

    Drop(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() {
      try (OpenStore store = OpenStore.openExisting(context, directory.directory())) {
        // Looked up first: a name that does not exist is not an error in the command line.
        Database unused = store.database(name);
        store.store().dropDatabase(name);
      }
      return ExitCodes.OK;
    }
  }

  /** {@code sifr databases drop-index}. */
  @Command(
      name = "drop-index",
      footer = {"  sifr databases fruit", "  sifr databases drop-index --db fruit people by-name"},
      description = "Removes an index of a database.")
  static final class DropIndex implements Callable<Integer> {
    private final CliContext context;

    @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();

    @Parameters(paramLabel = "NAME", description = "Name of the database.")
    private String name = "";

    @Parameters(paramLabel = "INDEX", description = "Name of the index.")
    private String index = "";

    DropIndex(CliContext context) {
      this.context = context;
    }

    @Override
    public Integer call() {
      try (OpenStore store = OpenStore.openExisting(context, directory.directory())) {
        Database database = store.database(name);
        try {
          var unused = Index.of(database, index);
        } catch (IllegalArgumentException e) {
          throw new CommandFailure(ExitCodes.UNUSABLE, e);
        }
        store
            .store()
            .alterDatabase(name, database.options().toBuilder().withoutIndex(index).build());
      }
      return ExitCodes.OK;
    }
  }
}
