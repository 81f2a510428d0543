package io.sifr.cli;

import io.sifr.cli.report.ForestDrawing;
import io.sifr.cli.report.ForestJson;
import io.sifr.cli.report.ForestPicture;
import io.sifr.cli.terminal.Console;
import io.sifr.event.ForestShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sifr forest}. */
@Command(
    name = "forest",
    footer = {"  sifr forest fruit", "  sifr forest fruit --database sold --ascii"},
    description = {
      "Draws the stages, trees and SSTs of a database.",
      "A line for each tree, a block for each SST.",
      "The position of a block shows its place in the order of keys, not the distance of keys.",
      "Where SSTs lie is shown if the store has a fast or a cold directory.",
      "Below them the value files, those first of which least is needed."
    })
final class ForestCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  @Option(names = "--ascii", description = "Draw with ASCII characters only.")
  private boolean ascii;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Draw it as SVG into this file, which is replaced.")
  private @Nullable Path svg;

  ForestCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    ForestShape forest;
    try (OpenStore store = OpenStore.openToRead(context, directory.directory())) {
      forest = database.of(store).forest();
    }
    Console console = context.console();
    if (svg != null) {
      Files.writeString(svg, ForestPicture.of(forest));
    } else if (json.isJson()) {
      JsonMixin.writeObject(console, fields -> ForestJson.writeFields(fields, forest, hex.isHex()));
    } else {
      int columns = console.traits().columns();
      for (String line : new ForestDrawing(forest, columns, ascii, hex::show).lines()) {
        console.println(line);
      }
    }
    return ExitCodes.OK;
  }
}
