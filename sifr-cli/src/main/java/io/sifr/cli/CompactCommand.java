package io.sifr.cli;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.cli.terminal.Units;
import io.sifr.error.StoreLockedException;
import io.sifr.event.ForestShape;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sifr compact}. */
@Command(
    name = "compact",
    footer = {"  sifr compact fruit", "  sifr compact fruit --prefix a"},
    description = {
      "Frees the space of what was deleted or overwritten.",
      "Merges everything a database holds into one tree.",
      "With --from, --to or --prefix only what lies in that range, which becomes one sorted run."
    })
final class CompactCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final RangeMixin range = new RangeMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  CompactCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    KeyRange keys = range.range(hex);
    try (OpenStore store = OpenStore.openExisting(context, directory.directory(), settings)) {
      Database target = database.of(store);
      ForestShape before = target.forest();
      target.compact(keys);
      report(before, target.forest());
    } catch (StoreLockedException e) {
      throw new CommandFailure(
          ExitCodes.UNUSABLE,
          e.getMessage()
              + ", and only that can compact it: by Database.compact, or by the operation"
              + " \"compact\" of its bean in JMX, if it registers one (StoreBeans)",
          e);
    }
    return ExitCodes.OK;
  }

  private void report(ForestShape before, ForestShape after) throws IOException {
    if (json.isJson()) {
      JsonMixin.writeObject(
          context.console(),
          fields -> {
            fields.writeNumberField("treesBefore", before.trees());
            fields.writeNumberField("bytesBefore", before.bytes());
            fields.writeNumberField("treesAfter", after.trees());
            fields.writeNumberField("bytesAfter", after.bytes());
          });
    } else {
      context.console().println(size(before) + " became " + size(after));
    }
  }

  private static String size(ForestShape forest) {
    return Units.count(forest.trees(), "tree") + " of " + Units.bytes(forest.bytes());
  }
}
