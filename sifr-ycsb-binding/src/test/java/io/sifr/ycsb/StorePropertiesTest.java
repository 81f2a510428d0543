package io.sifr.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.Durability;
import io.sifr.config.FilterMode;
import io.sifr.config.LogAccess;
import io.sifr.config.MergeTrigger;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StorePropertiesTest {

  @Test
  void everySettingOfAStoreHasAProperty() {
    assertThat(Arrays.stream(StoreSetting.values()).map(StoreSetting::property))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(StoreOptions.Builder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == 1)
                .map(StorePropertiesTest::propertyFor)
                .toList());
  }

  @Test
  void everyPropertyReachesItsSetting() {
    StoreOptions options =
        options(
            "sifr.createifmissing", "false",
            "sifr.openifdamaged", "false",
            "sifr.durability", "sync",
            "sifr.writebuffer", "8m",
            "sifr.maximmutablememtables", "5",
            "sifr.splitunit", "64K",
            "sifr.growthfactor", "6",
            "sifr.mergetrigger", "lazy",
            "sifr.logaccess", "Written",
            "sifr.logsegment", "1M",
            "sifr.maxlog", "2g",
            "sifr.mergethreads", " 3 ",
            "sifr.searchscheme", "fixed_count",
            "sifr.searchthreads", "9",
            "sifr.filtermode", "Hot",
            "sifr.filterbitsperkey", "12",
            "sifr.filtercache", "3m");

    assertThat(options.createIfMissing()).isFalse();
    assertThat(options.openIfDamaged()).isFalse();
    assertThat(options.durability()).isEqualTo(Durability.SYNC);
    assertThat(options.writeBufferBytes()).isEqualTo(8 << 20);
    assertThat(options.maxImmutableMemtables()).isEqualTo(5);
    assertThat(options.splitUnitBytes()).isEqualTo(64 << 10);
    assertThat(options.growthFactor()).isEqualTo(6);
    assertThat(options.mergeTrigger()).isEqualTo(MergeTrigger.LAZY);
    assertThat(options.logAccess()).isEqualTo(LogAccess.WRITTEN);
    assertThat(options.logSegmentBytes()).isEqualTo(1 << 20);
    assertThat(options.maxLogBytes()).isEqualTo(2L << 30);
    assertThat(options.mergeThreads()).isEqualTo(3);
    assertThat(options.searchScheme()).isEqualTo(SearchScheme.FIXED_COUNT);
    assertThat(options.searchThreads()).isEqualTo(9);
    assertThat(options.filterMode()).isEqualTo(FilterMode.HOT);
    assertThat(options.filterBitsPerKey()).isEqualTo(12);
    assertThat(options.filterCacheBytes()).isEqualTo(3 << 20);
  }

  @Test
  void withoutSettingsTheDefaultsOfTheStoreHold() {
    assertThat(options().toString()).isEqualTo(StoreOptions.DEFAULT.toString());
  }

  @Test
  void aPlainNumberIsASizeInBytes() {
    assertThat(options("sifr.writebuffer", "123456").writeBufferBytes()).isEqualTo(123456);
  }

  @Test
  void anUnknownPropertyIsRefusedAndTheKnownOnesAreNamed() {
    assertThatThrownBy(() -> options("sifr.writebufer", "8m"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("property sifr.writebufer is unknown; known: sifr.dir, ")
        .hasMessageContaining("sifr.writebuffer");
  }

  @Test
  void propertiesOfOthersAreLeftAlone() {
    assertThat(options("recordcount", "1", "rocksdb.dir", "x").toString())
        .isEqualTo(StoreOptions.DEFAULT.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "sifr.writebuffer, 3, allowed: 4096 to 1073741824",
    "sifr.writebuffer, 16 MB, not a size",
    "sifr.writebuffer, -1, not a size",
    "sifr.maxlog, 99999999999g, overflow",
    "sifr.logsegment, 4g, overflow",
    "sifr.growthfactor, 1, allowed: 2 to 64",
    "sifr.growthfactor, four, not a whole number",
    "sifr.durability, always, 'allowed: none, buffered, sync'",
    "sifr.createifmissing, yes, 'allowed: true, false'"
  })
  void aWrongValueIsRefusedWithPropertyAndReason(String property, String value, String reason) {
    assertThatThrownBy(() -> options(property, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("property " + property + "=" + value + ": ")
        .hasMessageContaining(reason);
  }

  @Test
  void aRelativeDirectoryCountsFromTheCurrentOne() {
    Properties properties = new Properties();
    properties.setProperty("sifr.dir", " data ");

    assertThat(StoreProperties.of(properties).directory())
        .isEqualTo(Path.of("data").toAbsolutePath());
  }

  @ParameterizedTest
  @EnumSource
  void everyPropertyIsDocumented(StoreSetting setting) throws IOException {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("\n| `" + setting.property() + "` | ");
  }

  private static StoreOptions options(String... namesAndValues) {
    Properties properties = new Properties();
    properties.setProperty("sifr.dir", "data");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
    }
    return StoreProperties.of(properties).options();
  }

  private static String propertyFor(Method setter) {
    return "sifr." + setter.getName().replaceAll("Bytes$", "").toLowerCase(Locale.ROOT);
  }
}
