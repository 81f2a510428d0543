package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsCommandTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "settings.md");

  @TempDir private Path store;

  static List<Setting<?>> settings() {
    return StoreOptions.settings();
  }

  @Test
  void theDocumentListsWhatTheProgramDoes() throws IOException {
    String listed =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("- `") || line.startsWith("  "))
            .map(line -> line + "\n")
            .collect(Collectors.joining());

    assertThat(listed)
        .as("the list in %s; sifr settings --markdown writes it", DOCUMENT)
        .isEqualTo(Cli.run("settings", "--markdown").out());
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everySettingIsListedAndIsAnOption(Setting<?> setting) {
    String option = SettingsMixin.option(setting);
    assertThat(Cli.run("settings").out())
        .contains(setting.name() + ", " + option + ": " + setting.allowed())
        .contains("    " + setting.meaning());
    assertThat(Cli.run("settings", "--json").out())
        .contains("\"name\":\"" + setting.name() + "\",\"option\":\"" + option + "\"")
        .contains("\"default\":\"" + setting.defaultValue() + "\"");
    assertThat(Cli.run("put", "--help-all").out()).contains(option + "=");

    boolean isDirectory = setting.type().equals("directory");
    String value = isDirectory ? setting.defaultValue() : setting.allowed().split("[, ]", 2)[0];
    assertThat(Cli.run(store, "put", "k", "v").exitCode()).isZero();
    assertThat(Cli.run(store, "get", "k", option, value).out()).isEqualTo("v\n");
    String bad = isDirectory ? "wr\u0000ong" : "wrong";
    Cli.Result wrong = Cli.run(store, "scan", option + "=" + bad);
    assertThat(wrong.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(wrong.err()).contains(setting.name() + " is ").contains(setting.allowed());
    if (!isDirectory) {
      assertThat(wrong.err())
          .contains(setting.name() + " is wrong; allowed: " + setting.allowed())
          .hasLineCount(1);
    }
  }

  @Test
  void aSettingReachesTheStore() {
    Path missing = store.resolve("missing");

    Cli.Result refused = Cli.run(missing, "put", "k", "v", "--create-if-missing=false");

    assertThat(refused.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(missing).doesNotExist();
  }

  @Test
  void anOptionThatIsMisspeltGetsASuggestion() {
    assertThat(Cli.run(store, "put", "k", "v", "--writ-buffer=4MiB").err())
        .contains("did you mean --write-buffer?");
  }

  @Test
  void formsExcludeEachOther() {
    assertThat(Cli.run("settings", "--json", "--markdown").exitCode()).isEqualTo(ExitCodes.USAGE);
  }
}
