package io.sifr.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sifr checkpoint}. */
@Command(
    name = "checkpoint",
    footer = {"  sifr checkpoint fruit fruit-copy", "  sifr checkpoint --json fruit fruit-copy"},
    description = {
      "Makes a copy of a store by hard links: a store of its own, in milliseconds, which shares"
          + " the space of what both hold. On another volume files are copied.",
      "If it is interrupted, repeat it. The store may be open in another process."
    })
final class CheckpointCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final JsonMixin json = new JsonMixin();

  @Parameters(index = "0", paramLabel = "STORE", description = "Directory of the store.")
  private Path store = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "Directory for the copy: one that does not exist, or an empty one.")
  private Path target = Path.of("");

  CheckpointCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    long start = System.nanoTime();
    try (OpenStore open = OpenStore.openToRead(context, store)) {
      open.store().checkpoint(target);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
    long millis = (System.nanoTime() - start) / 1_000_000;
    if (json.isJson()) {
      JsonMixin.writeObject(
          context.console(),
          fields -> {
            fields.writeStringField("target", target.toString());
            fields.writeNumberField("millis", millis);
          });
    } else {
      context.console().println("made " + target + " in " + millis + " ms");
    }
    return ExitCodes.OK;
  }
}
