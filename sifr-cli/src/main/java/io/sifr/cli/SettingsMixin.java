package io.sifr.cli;

import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** An option for each setting of the store, from the table of settings. */
@Command // picocli takes nothing else for a mixin that has no options of its own
final class SettingsMixin {
  /** The settings that were given, by name. */
  private final Map<String, String> given = new LinkedHashMap<>();

  /** Settings that default to those of the store. */
  SettingsMixin() {}

  /** The same with another default for one of them. */
  SettingsMixin(String name, String defaultValue) {
    given.put(name, defaultValue);
  }

  /** The option of a setting: {@code --write-buffer} for {@code writeBufferBytes}. */
  static String option(Setting<?> setting) {
    return "--"
        + setting
            .name()
            .replaceAll("Bytes$", "")
            .replaceAll("([A-Z])", "-$1")
            .toLowerCase(Locale.ROOT);
  }

  /** Called by picocli, with the command that this is a part of. */
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("unused")
  private void addOptions(CommandSpec command) {
    ArgGroupSpec.Builder group =
        ArgGroupSpec.builder()
            .heading("%nSettings of the store (see also sifr settings):%n")
            .validate(false);
    for (Setting<?> setting : StoreOptions.settings()) {
      group.addArg(describe(setting));
    }
    command.addArgGroup(group.build());
    command.usageMessage().abbreviateSynopsis(true);
  }

  private OptionSpec describe(Setting<?> setting) {
    String name = setting.name();
    String defaultValue = given.getOrDefault(name, setting.defaultValue());
    return OptionSpec.builder(option(setting))
        .type(String.class)
        .arity("1")
        .paramLabel(
            switch (setting.type()) {
              case "size" -> "SIZE";
              case "number" -> "N";
              case "directory" -> "PATH";
              default -> "VALUE";
            })
        .description(
            setting.meaning(), "Allowed: " + setting.allowed() + ". Default: " + defaultValue + ".")
        .completionCandidates(setting.choices())
        .converters(text -> checked(name, text))
        .setter(
            new ISetter() {
              @Override
              @SuppressWarnings("unchecked")
              public <T> @Nullable T set(T value) {
                // Null is picocli's way to begin.
                return value == null ? null : (T) given.put(name, value.toString());
              }
            })
        .build();
  }

  private static String checked(String name, String text) {
    try {
      StoreOptions.builder().set(name, text);
      return text;
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  /** The settings that were given; what the builder holds, for the others. */
  StoreOptions options(StoreOptions.Builder defaults) {
    given.forEach(defaults::set);
    return defaults.build();
  }

  /** The options that give another process of this program the same settings. */
  List<String> arguments() {
    return StoreOptions.settings().stream()
        .filter(setting -> given.containsKey(setting.name()))
        .map(setting -> option(setting) + "=" + given.get(setting.name()))
        .toList();
  }
}
