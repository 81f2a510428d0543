package io.sifr.cli;

import io.sifr.Database;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr merge}. */
@Command(
    name = "merge",
    footer = {
      "  sifr databases create --db fruit --merge-operator add-long sold",
      "  sifr merge --db fruit --database sold --hex 6170 0000000000000001"
    },
    description = {
      "Merges an operand into the value of a key.",
      "The merge operator of the database says how.",
      "An operand of add-long is eight bytes: with --hex, 0000000000000001 adds one."
    })
final class MergeCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Parameters(index = "1", paramLabel = "OPERAND", description = "The operand.")
  private String operand = "";

  MergeCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    byte[] keyBytes = hex.bytes("KEY", key);
    byte[] operandBytes = hex.bytes("OPERAND", operand);
    try (OpenStore store = OpenStore.openExisting(context, directory.directory(), settings)) {
      Database target = database.of(store);
      if (target.options().mergeOperator() == null) {
        throw new CommandFailure(
            ExitCodes.UNUSABLE, "the database " + target.name() + " has no merge operator");
      }
      target.merge(keyBytes, operandBytes);
    }
    return ExitCodes.OK;
  }
}
