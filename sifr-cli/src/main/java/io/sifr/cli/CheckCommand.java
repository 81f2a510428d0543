package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import io.sifr.cli.terminal.Units;
import io.sifr.error.StoreIoException;
import io.sifr.error.StoreLockedException;
import io.sifr.inspect.Finding;
import io.sifr.inspect.check.CheckReport;
import io.sifr.inspect.check.StoreCheck;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sifr check}. */
@Command(
    footer = {"  sifr check fruit", "  sifr check fruit --max-findings 3 --json"},
    name = "check",
    description = {
      "Reads everything in a store and reports what is wrong. Changes nothing.",
      "One that another process has open is checked as it is at one moment, except what cannot be"
          + " seen so, which is told."
    })
final class CheckCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  @Option(
      names = "--max-findings",
      paramLabel = "N",
      defaultValue = "20",
      description = "Show N findings at most. Default: ${DEFAULT-VALUE}.")
  private int maxFindings;

  CheckCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (maxFindings < 0) {
      throw new CommandFailure(
          ExitCodes.USAGE, "--max-findings is " + maxFindings + "; allowed: 0 and more");
    }
    StoreCheck.OfMoment check = check(directory.directory());
    CheckReport report = check.report();
    if (json.isJson()) {
      JsonMixin.writeObject(context.console(), fields -> writeFields(fields, check));
    } else {
      writeText(report, check.notChecked());
    }
    return report.isClean() ? ExitCodes.OK : ExitCodes.FINDINGS;
  }

  private StoreCheck.OfMoment check(Path store) {
    try (ProgressBar bar = ProgressBar.ofBytes(context.console(), "check", ProgressBar.UNKNOWN)) {
      return new StoreCheck.OfMoment(StoreCheck.run(store, context.keys(), bar::update), List.of());
    } catch (StoreLockedException e) {
      return checkReadOnly(store, "is in use by " + OpenStore.holder(e));
    } catch (StoreIoException e) {
      if (Files.isWritable(store) || !(e.getCause() instanceof AccessDeniedException)) {
        throw e;
      }
      return checkReadOnly(store, "cannot be written to");
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }

  private StoreCheck.OfMoment checkReadOnly(Path store, String reason) {
    context.console().err().println(store + " " + reason + ", so it is checked as it is now");
    try (ProgressBar bar = ProgressBar.ofBytes(context.console(), "check", ProgressBar.UNKNOWN)) {
      return StoreCheck.runReadOnly(store, context.keys(), List.of(), bar::update);
    }
  }

  private List<Finding> shown(CheckReport report) {
    return report.findings().subList(0, Math.min(maxFindings, report.findings().size()));
  }

  private void writeText(CheckReport report, List<String> notChecked) throws IOException {
    Console console = context.console();
    console.println(
        "read "
            + String.join(
                ", ",
                Units.count(report.databases(), "database"),
                Units.count(report.trees(), "tree"),
                Units.count(report.ssts(), "SST"),
                Units.entries(report.entries()),
                Units.count(report.logRecords(), "log record"),
                Units.bytes(report.bytes())));
    for (Finding finding : shown(report)) {
      console.println(finding.file() + " at offset " + finding.offset() + ": " + finding.what());
    }
    for (String part : notChecked) {
      console.println("not checked: " + part);
    }
    int hidden = report.findings().size() - shown(report).size();
    if (hidden > 0) {
      console.println("and " + Units.count(hidden) + " more");
    }
    console.println(
        report.isClean() ? "nothing is wrong" : Units.count(report.findings().size(), "finding"));
    if (!report.isClean()) {
      console.println("\"sifr salvage\" makes a new store from the intact parts of a damaged one");
    }
  }

  private void writeFields(JsonGenerator fields, StoreCheck.OfMoment check) throws IOException {
    CheckReport report = check.report();
    fields.writeBooleanField("clean", report.isClean());
    fields.writeNumberField("databases", report.databases());
    fields.writeNumberField("trees", report.trees());
    fields.writeNumberField("ssts", report.ssts());
    fields.writeNumberField("entries", report.entries());
    fields.writeNumberField("logRecords", report.logRecords());
    fields.writeNumberField("bytes", report.bytes());
    fields.writeArrayFieldStart("notChecked");
    for (String part : check.notChecked()) {
      fields.writeString(part);
    }
    fields.writeEndArray();
    fields.writeNumberField("findingCount", report.findings().size());
    fields.writeArrayFieldStart("findings");
    for (Finding finding : shown(report)) {
      fields.writeStartObject();
      fields.writeStringField("file", finding.file().toString());
      fields.writeNumberField("offset", finding.offset());
      fields.writeStringField("what", finding.what());
      fields.writeEndObject();
    }
    fields.writeEndArray();
  }
}
