package io.sifr.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.Durability;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class StorePropertiesTest {

  @Test
  void everySettingOfAStoreIsAProperty() {
    for (Setting<?> setting : StoreOptions.settings()) {
      String value = setting.allowed().split("[, ]", 2)[0];
      assertThat(options("sifr." + setting.name(), " " + value))
          .isEqualTo(StoreOptions.builder().set(setting.name(), value).build());
    }
  }

  @Test
  void severalPropertiesReachTheirSettings() {
    StoreOptions options =
        options(
            "sifr.durability",
            "sync",
            "sifr.writeBufferBytes",
            "8m",
            "sifr.compactionThreads",
            "3");

    assertThat(options.durability()).isEqualTo(Durability.SYNC);
    assertThat(options.writeBufferBytes()).isEqualTo(8 << 20);
    assertThat(options.compactionThreads()).isEqualTo(3);
  }

  @Test
  void withoutSettingsTheDefaultsOfTheStoreHold() {
    assertThat(options()).isEqualTo(StoreOptions.DEFAULT);
  }

  @Test
  void aPropertyThatIsMisspeltGetsASuggestion() {
    assertThatThrownBy(() -> options("sifr.writeBuferBytes", "8m"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "property sifr.writeBuferBytes: there is no setting writeBuferBytes; did you mean writeBufferBytes?");
  }

  @Test
  void propertiesOfOthersAreLeftAlone() {
    assertThat(options("recordcount", "1", "rocksdb.dir", "x")).isEqualTo(StoreOptions.DEFAULT);
  }

  @Test
  void aWrongValueIsRefusedWithWhatIsAllowed() {
    assertThatThrownBy(() -> options("sifr.writeBufferBytes", "3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("property sifr.writeBufferBytes: writeBufferBytes is 3; allowed: 4KiB to 1GiB");
  }

  @Test
  void aRelativeDirectoryCountsFromTheCurrentOne() {
    Properties properties = new Properties();
    properties.setProperty("sifr.dir", " data ");

    assertThat(StoreProperties.of(properties).directory())
        .isEqualTo(Path.of("data").toAbsolutePath());
  }

  private static StoreOptions options(String... namesAndValues) {
    Properties properties = new Properties();
    properties.setProperty("sifr.dir", "data");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
    }
    return StoreProperties.of(properties).options();
  }
}
