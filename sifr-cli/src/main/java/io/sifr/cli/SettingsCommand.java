package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Console;
import io.sifr.config.CompactionPolicy;
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
    footer = {"  sifr settings", "  sifr settings --json"},
    description = {
      "Lists the settings of a store.",
      "Names, options of the commands that take them, what they mean, which values they take and which they have"
          + " when none is given.",
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
        printPolicies(console, setting, "  - ", "`");
      }
    } else {
      for (Setting<?> setting : settings) {
        console.println(names(setting, "") + ": " + values(setting));
        console.println("    " + setting.meaning());
        printPolicies(console, setting, "    ", "");
      }
    }
    return ExitCodes.OK;
  }

  /** The policies, each with its parameters, below the setting that chooses one. */
  private static void printPolicies(
      Console console, Setting<?> setting, String indent, String quote) throws IOException {
    for (CompactionPolicy.Kind kind : policies(setting)) {
      console.println(indent + quote + kind + quote + ": " + kind.meaning());
      for (Setting<?> parameter : kind.parameters()) {
        console.println(
            "  "
                + indent
                + quote
                + parameter.name()
                + quote
                + ": "
                + values(parameter)
                + ". "
                + parameter.meaning());
      }
    }
  }

  private static CompactionPolicy.Kind[] policies(Setting<?> setting) {
    return setting.type().equals("policy")
        ? CompactionPolicy.Kind.values()
        : new CompactionPolicy.Kind[0];
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
      writeValues(json, setting);
      json.writeBooleanField("shared", setting.isShared());
      if (policies(setting).length > 0) {
        writePolicies(json, policies(setting));
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writePolicies(JsonGenerator json, CompactionPolicy.Kind[] kinds)
      throws IOException {
    json.writeArrayFieldStart("policies");
    for (CompactionPolicy.Kind kind : kinds) {
      json.writeStartObject();
      json.writeStringField("name", kind.toString());
      json.writeStringField("meaning", kind.meaning());
      json.writeArrayFieldStart("parameters");
      for (Setting<?> parameter : kind.parameters()) {
        json.writeStartObject();
        json.writeStringField("name", parameter.name());
        writeValues(json, parameter);
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeValues(JsonGenerator json, Setting<?> setting) throws IOException {
    json.writeStringField("type", setting.type());
    json.writeStringField("unit", setting.unit());
    json.writeStringField("default", setting.defaultValue());
    json.writeStringField("allowed", setting.allowed());
    json.writeStringField("meaning", setting.meaning());
  }
}
