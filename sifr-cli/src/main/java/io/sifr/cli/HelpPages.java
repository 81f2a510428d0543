package io.sifr.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.IHelpFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParseResult;

/**
 * The pages of {@code --help}: a screen for each command, with the first line of what an option
 * means and no settings of the store. With {@link #ALL} everything is shown.
 */
final class HelpPages implements IHelpFactory {
  /** The option for everything. */
  static final String ALL = "--help-all";

  private static final int OPTION_COLUMNS = 24;

  /** The list of commands, by what they are for; those that are not named are at its end. */
  private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put(
        "Entries",
        List.of("put", "get", "merge", "delete", "scan", "count", "load", "export", "changes"));
    GROUPS.put(
        "What a store consists of", List.of("stats", "forest", "databases", "inspect", "serve"));
    GROUPS.put("Upkeep", List.of("check", "compact", "checkpoint", "backup", "restore", "salvage"));
  }

  private static final String OTHERS = "Others";

  @Override
  public Help create(CommandSpec command, ColorScheme colours) {
    command.usageMessage().abbreviateSynopsis(true).longOptionsMaxWidth(OPTION_COLUMNS);
    return isAllWanted(command) ? new Grouped(command, colours) : new Brief(command, colours);
  }

  private static boolean isAllWanted(CommandSpec command) {
    @Nullable ParseResult parsed = command.root().commandLine().getParseResult();
    return parsed != null && parsed.originalArgs().contains(ALL);
  }

  /** The group in which a command is listed. */
  private static String group(String command) {
    return GROUPS.entrySet().stream()
        .filter(group -> group.getValue().contains(command))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(OTHERS);
  }

  /**
   * What a command does, in a line: the beginning of its description up to a full stop or colon.
   */
  private static String firstSentence(CommandSpec command) {
    String[] description = command.usageMessage().description();
    if (description.length == 0) {
      return "";
    }
    String sentence = description[0].split("[.:;] ", 2)[0];
    return sentence.endsWith(".") ? sentence : sentence + ".";
  }

  /** Lists the commands of the program by group. */
  private static class Grouped extends Help {
    Grouped(CommandSpec command, ColorScheme colours) {
      super(command, colours);
    }

    @Override
    public String footer(Object... parameters) {
      return super.footer(parameters).stripTrailing() + System.lineSeparator();
    }

    private boolean isOfProgram() {
      return commandSpec().parent() == null;
    }

    @Override
    public String commandListHeading(Object... parameters) {
      return isOfProgram() ? "" : super.commandListHeading(parameters);
    }

    @Override
    public String commandList(Map<String, Help> commands) {
      for (Help listed : commands.values()) {
        UsageMessageSpec usage = listed.commandSpec().usageMessage();
        if (usage.header().length == 0) { // which is listed instead of the description
          usage.header(firstSentence(listed.commandSpec()));
        }
      }
      if (!isOfProgram()) {
        return super.commandList(commands);
      }
      Map<String, Map<String, Help>> groups = new LinkedHashMap<>();
      GROUPS.keySet().forEach(heading -> groups.put(heading, new LinkedHashMap<>()));
      groups.put(OTHERS, new LinkedHashMap<>());
      commands.forEach(
          (name, help) ->
              groups
                  .computeIfAbsent(group(name), heading -> new LinkedHashMap<>())
                  .put(name, help));
      StringBuilder list = new StringBuilder();
      groups.forEach(
          (heading, members) ->
              list.append(heading)
                  .append(':')
                  .append(System.lineSeparator())
                  .append(super.commandList(members)));
      return list.toString();
    }
  }

  /** Leaves out what is not needed to call a command. */
  private static final class Brief extends Grouped {
    Brief(CommandSpec command, ColorScheme colours) {
      super(command, colours);
    }

    @Override
    public String description(Object... parameters) {
      String[] all = commandSpec().usageMessage().description();
      try {
        commandSpec().usageMessage().description(firstSentence(commandSpec()));
        return super.description(parameters);
      } finally {
        commandSpec().usageMessage().description(all);
      }
    }

    @Override
    public String parameterList() {
      List<PositionalParamSpec> shown = new ArrayList<>();
      for (PositionalParamSpec parameter : commandSpec().positionalParameters()) {
        if (!parameter.hidden()) {
          shown.add(
              PositionalParamSpec.builder(parameter)
                  .description(firstOf(parameter.description()))
                  .build());
        }
      }
      return parameterList(shown);
    }

    @Override
    public String optionList() {
      List<OptionSpec> shown = new ArrayList<>();
      for (OptionSpec option : commandSpec().options()) {
        boolean isSetting = option.group() != null && option.group().heading() != null;
        if (!option.hidden() && !isSetting) {
          shown.add(OptionSpec.builder(option).description(firstOf(option.description())).build());
        }
      }
      return optionListExcludingGroups(shown);
    }

    @Override
    public String exitCodeListHeading(Object... parameters) {
      return "";
    }

    @Override
    public String exitCodeList() {
      return "";
    }

    private static String[] firstOf(String[] lines) {
      return Arrays.copyOf(lines, Math.min(1, lines.length));
    }
  }
}
