package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Console;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sifr settings}. */
@Command(
    name = "settings",
    description = {
      "Lists the settings of a store: names, options of this program, what they mean, which values"
          + " they take and which they have when none is given.",
      "None is stored: a store can be opened with other settings at any time."
    })
final class SettingsCommand implements Callable<Integer> {
  private final CliContext context;

  /** Forms that exclude each other. */
  static final class Form {
    @Option(names = "--json", description = "Write JSON.")
    private boolean json;

    @Option(names = "--markdown", description = "Write a list in Markdown.")
    private boolean markdown;
  }

  @ArgGroup private final Form form = new Form();

  SettingsCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    List<Setting<?>> settings = StoreOptions.settings();
    Console console = context.console();
    if (form.json) {
      JsonMixin.writeObject(console, fields -> writeFields(fields, settings));
    } else if (form.markdown) {
      for (Setting<?> setting : settings) {
        console.println("- " + names(setting, "`") + ": " + values(setting));
        console.println("  " + setting.meaning());
      }
    } else {
      for (Setting<?> setting : settings) {
        console.println(names(setting, "") + ": " + values(setting));
        console.println("    " + setting.meaning());
      }
    }
    return ExitCodes.OK;
  }

  private static String names(Setting<?> setting, String quote) {
    return quote + setting.name() + quote + ", " + quote + SettingsMixin.option(setting) + quote;
  }

  private static String values(Setting<?> setting) {
    String shared = setting.isShared() ? "; shared" : "";
    return setting.allowed() + "; default " + setting.defaultValue() + shared;
  }

  private static void writeFields(JsonGenerator json, List<Setting<?>> settings)
      throws IOException {
    json.writeArrayFieldStart("settings");
    for (Setting<?> setting : settings) {
      json.writeStartObject();
      json.writeStringField("name", setting.name());
      json.writeStringField("option", SettingsMixin.option(setting));
      json.writeStringField("type", setting.type());
      json.writeStringField("unit", setting.unit());
      json.writeStringField("default", setting.defaultValue());
      json.writeStringField("allowed", setting.allowed());
      json.writeStringField("meaning", setting.meaning());
      json.writeBooleanField("shared", setting.isShared());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
