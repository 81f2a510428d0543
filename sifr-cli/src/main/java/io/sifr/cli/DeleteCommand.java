package io.sifr.cli;

import io.sifr.Database;
import io.sifr.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr delete}. */
@Command(
    name = "delete",
    footer = {"  sifr delete --db fruit apple pear", "  sifr delete --db fruit --from b --to d"},
    description = {
      "Removes keys, or all keys of a range.",
      "A range is one write, whatever it holds.",
      "A key that does not exist is not an error."
    })
final class DeleteCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final RangeMixin range = new RangeMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Parameters(arity = "0..*", paramLabel = "KEY", description = "The keys.")
  private List<String> keys = List.of();

  DeleteCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (keys.isEmpty() != range.isGiven()) {
      throw new CommandFailure(
          ExitCodes.USAGE, "either keys are to be given, or a range: --from, --to or --prefix");
    }
    KeyRange deleted = range.range(hex);
    List<byte[]> keyBytes = new ArrayList<>();
    for (String key : keys) {
      keyBytes.add(hex.bytes("KEY", key));
    }
    try (OpenStore store = OpenStore.openExisting(context, directory.directory(), settings)) {
      Database target = database.of(store);
      for (byte[] key : keyBytes) {
        target.delete(key);
      }
      if (range.isGiven()) {
        target.deleteRange(deleted);
      }
    }
    return ExitCodes.OK;
  }
}
