package io.sifr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class StoreOptionsTest {
  static List<Setting<?>> settings() {
    return StoreOptions.settings();
  }

  static Stream<Setting<?>> wholeNumbers() {
    return settings().stream()
        .filter(setting -> setting.choices().isEmpty() && !setting.allowed().contains("."))
        .filter(setting -> !setting.type().equals("directory"));
  }

  /** Each has users who can choose its value: what nobody can choose is a constant. */
  @Test
  void thereAreFew() {
    assertThat(settings()).hasSizeLessThanOrEqualTo(32);
  }

  @Test
  void everySettingHasAMethodToSetAndOneToReadIt() {
    List<String> names = settings().stream().map(Setting::name).toList();
    assertThat(names)
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(StoreOptions.Builder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == 1)
                .map(Method::getName)
                .toList())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(StoreOptions.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == 0)
                .map(Method::getName)
                .filter(
                    name ->
                        !List.of("toString", "hashCode", "onlyShared", "withoutShared")
                            .contains(name))
                .toList());
  }

  @ParameterizedTest
  @MethodSource("settings")
  void whatIsSetByNameIsReadByTheMethodOfThatName(Setting<?> setting) throws Exception {
    for (String value : someValues(setting)) {
      StoreOptions options = StoreOptions.builder().set(setting.name(), value).build();
      Object read = read(options, setting);
      assertThat(inBytes(setting, read)).isEqualTo(inBytes(setting, value));
      assertThat((" " + options + " ")).contains(" " + setting.name() + "=" + value + " ");
      for (Setting<?> other : settings()) {
        if (other != setting && !other.name().equals("logSegmentBytes")) {
          assertThat(read(options, other)).isEqualTo(read(StoreOptions.DEFAULT, other));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void theMethodOfThatNameSetsTheSame(Setting<?> setting) throws Exception {
    Method setter =
        Arrays.stream(StoreOptions.Builder.class.getDeclaredMethods())
            .filter(method -> method.getName().equals(setting.name()))
            .findFirst()
            .orElseThrow();
    for (String value : someValues(setting)) {
      StoreOptions byName = StoreOptions.builder().set(setting.name(), value).build();
      Object typed = read(byName, setting);
      Object argument = typed instanceof OptionalLong size ? size.orElseThrow() : typed;
      StoreOptions.Builder builder = StoreOptions.builder();
      setter.invoke(builder, argument);
      assertThat(builder.build()).isEqualTo(byName).hasSameHashCodeAs(byName);
    }
  }

  @ParameterizedTest
  @MethodSource("wholeNumbers")
  void rangesAreKeptAndNamed(Setting<?> setting) throws Exception {
    List<String> ends = someValues(setting);
    long below = ByteSize.parse(ends.get(0)) - 1;
    long above = ByteSize.parse(ends.get(1)) + 1;
    for (String bad : List.of("" + below, "" + above, "-1", "", "many", "1e3", "4 Mega")) {
      assertThatThrownBy(() -> StoreOptions.builder().set(setting.name(), bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("%s is %s; allowed: %s", setting.name(), bad, setting.allowed());
    }
    Method setter =
        Arrays.stream(StoreOptions.Builder.class.getDeclaredMethods())
            .filter(method -> method.getName().equals(setting.name()))
            .findFirst()
            .orElseThrow();
    for (long bad : new long[] {below, above, -1}) {
      boolean isInt = setter.getParameterTypes()[0] == int.class;
      assertThatThrownBy(
              () -> setter.invoke(StoreOptions.builder(), isInt ? (Object) (int) bad : bad))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("%s is %d; allowed: %s", setting.name(), bad, setting.allowed());
    }
  }

  @Test
  void aFactorHasAFractionOrIsZero() {
    for (String good : List.of("0", "1.1", "1.25", "2", "100")) {
      assertThat(StoreOptions.builder().set("maxSpaceAmplification", good).build().toString())
          .contains("maxSpaceAmplification=" + good + " ");
    }
    for (String bad : List.of("1", "1.09", "100.1", "-1", "NaN", "", "1,5", "many")) {
      assertThatThrownBy(() -> StoreOptions.builder().set("maxSpaceAmplification", bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("maxSpaceAmplification is %s; allowed: 1.1 to 100, 0", bad);
    }
    assertThatThrownBy(() -> StoreOptions.builder().maxSpaceAmplification(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(StoreOptions.builder().maxSpaceAmplification(1.3).build().maxSpaceAmplification())
        .isEqualTo(1.3);
  }

  @ParameterizedTest
  @CsvSource({
    "memoryBudgetBytes, size, bytes, auto, '1MiB to 1TiB, auto'",
    "writeBufferBytes, size, bytes, 16MiB, 4KiB to 1GiB",
    "splitUnitBytes, size, bytes, 2MiB, 4KiB to 1GiB",
    "maxSpaceAmplification, number, times, 1.5, '1.1 to 100, 0'",
    "logSegmentBytes, size, bytes, auto, '4KiB to 1GiB, auto'",
    "maxLogBytes, size, bytes, 256MiB, 64KiB to 1TiB",
    "keptLogBytes, size, bytes, 1MiB, 0 to 1GiB",
    "compactionThreads, number, threads, 2, 1 to 64",
    "maxSstBytes, size, bytes, 64MiB, 4KiB to 1GiB",
    "blockCacheBytes, size, bytes, auto, '0 to 1TiB, auto'",
    "checkBytesPerSecond, size, bytes, 8MiB, 0 to 1TiB",
    "compactionBytesPerSecond, size, bytes, 0, 0 to 1TiB",
    "readCompactionBytesPerSecond, size, bytes, 32MiB, 0 to 1TiB",
    "maxOpenSsts, number, SSTs, 30000, 16 to 1000000",
    "searchThreads, number, threads, 16, 1 to 256",
    "filterBitsPerKey, number, bits, 10, 0 to 32",
    "fastDirectory, directory, '', none, 'a path in one line, none'",
    "fastBytes, size, bytes, 1GiB, 64KiB to 1TiB",
    "coldDirectory, directory, '', none, 'a path in one line, none'",
    "earlyCleaning, boolean, '', true, 'true, false'",
    "compaction, policy, '', splitForest,"
        + " 'splitForest, sizeTiered, lazilyLeveled, leveled, guarded, fifo'",
    "durability, choice, '', BUFFERED, 'NONE, BUFFERED, SYNC'"
  })
  void aSettingTellsOfItself(
      String name, String type, String unit, String defaultValue, String allowed) {
    Setting<?> setting =
        settings().stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
    assertThat(setting.type()).isEqualTo(type);
    assertThat(setting.unit()).isEqualTo(unit);
    assertThat(setting.defaultValue()).isEqualTo(defaultValue);
    assertThat(setting.allowed()).isEqualTo(allowed);
    assertThat(setting).hasToString(name);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void aMeaningIsASentence(Setting<?> setting) {
    assertThat(setting.meaning()).matches("[A-Z][^.|]*\\.");
  }

  @Test
  void aDirectoryIsAPathOrNone() {
    StoreOptions with = StoreOptions.builder().fastDirectory(Path.of("fast")).build();
    assertThat(with.fastDirectory()).contains(Path.of("fast"));
    assertThat(StoreOptions.builder().fastDirectory(null).build().fastDirectory()).isEmpty();
    assertThat(StoreOptions.builder().set("fastDirectory", "none").build().fastDirectory())
        .isEmpty();
    for (String bad : List.of("two\nlines", "a\u0000b")) {
      assertThatThrownBy(() -> StoreOptions.builder().set("fastDirectory", bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("fastDirectory is %s; allowed: a path in one line, none", bad);
    }
  }

  @Test
  void aNameThatIsMisspeltGetsASuggestion() {
    assertThatThrownBy(() -> StoreOptions.builder().set("writeBuferBytes", "4MiB"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no setting writeBuferBytes; did you mean writeBufferBytes?");
    assertThatThrownBy(() -> StoreOptions.builder().set("colour", "red"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("there is no setting colour; known: createIfMissing, ");
  }

  @Test
  void constantsAreReadInAnyCase() {
    StoreOptions options =
        StoreOptions.builder()
            .set("durability", " sync ")
            .set("createIfMissing", "False")
            .set("blockCacheBytes", "AUTO")
            .build();
    assertThat(options.durability()).isEqualTo(Durability.SYNC);
    assertThat(options.createIfMissing()).isFalse();
    assertThat(options.blockCacheBytes()).isEmpty();
    for (String wrong : new String[] {"always", "", "BUFFERED, SYNC"}) {
      assertThatThrownBy(() -> StoreOptions.builder().set("durability", wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("durability is " + wrong + "; allowed: NONE, BUFFERED, SYNC");
    }
  }

  @Test
  void settingsOfWhatIsSharedCanBeTakenApart() {
    StoreOptions options =
        StoreOptions.builder().compactionThreads(3).writeBufferBytes(8192).maxOpenSsts(77).build();
    StoreOptions shared = options.onlyShared();
    assertThat(shared)
        .isEqualTo(StoreOptions.builder().compactionThreads(3).maxOpenSsts(77).build());
    StoreOptions own = options.withoutShared();
    assertThat(own).isEqualTo(StoreOptions.builder().writeBufferBytes(8192).build());
    for (Setting<?> setting : settings()) {
      assertThat(shared.isGiven(setting))
          .isEqualTo(List.of("compactionThreads", "maxOpenSsts").contains(setting.name()));
      assertThat(own.isGiven(setting)).isEqualTo(setting.name().equals("writeBufferBytes"));
    }
  }

  @Test
  void aBuilderDoesNotChangeWhatItHasBuilt() {
    StoreOptions.Builder builder = StoreOptions.builder().writeBufferBytes(8192);
    StoreOptions built = builder.build();
    assertThat(builder.writeBufferBytes(8193).build()).isNotEqualTo(built);
    assertThat(built.writeBufferBytes()).isEqualTo(8192);
    assertThat(built)
        .isEqualTo(StoreOptions.builder().writeBufferBytes(8192).build())
        .isNotEqualTo(StoreOptions.DEFAULT);
  }

  @Test
  void logSegmentsAreWholePages() {
    assertThat(StoreOptions.builder().logSegmentBytes(4097).build().logSegmentBytes())
        .isEqualTo(8192);
  }

  @ParameterizedTest
  @CsvSource({"4096, 1048576", "2000001, 2002944", "4194304, 4194304", "1073741824, 16777216"})
  void logSegmentsAreAsLargeAsWriteBuffersUnlessToldOtherwise(long buffer, int segment) {
    assertThat(StoreOptions.builder().writeBufferBytes(buffer).build().logSegmentBytes())
        .isEqualTo(segment);
    assertThat(
            StoreOptions.builder()
                .logSegmentBytes(8192)
                .writeBufferBytes(buffer)
                .build()
                .logSegmentBytes())
        .isEqualTo(8192);
  }

  @Test
  void theBlockCacheFollowsTheMemoryUnlessToldOtherwise() {
    assertThat(StoreOptions.DEFAULT.blockCacheBytes()).isEmpty();
    assertThat(StoreOptions.DEFAULT.toString()).contains("blockCacheBytes=auto");
  }

  /** All values of a choice, the least and the largest of a number. */
  private static List<String> someValues(Setting<?> setting) {
    if (!setting.choices().isEmpty()) {
      return setting.choices();
    }
    if (setting.type().equals("directory")) {
      return List.of(Path.of("/some/where").toString(), Path.of("a b").toString());
    }
    return new ArrayList<>(
        List.of(setting.allowed().replaceAll(", (auto|0)$", "").split(" to ", 2)));
  }

  private static Object read(StoreOptions options, Setting<?> setting) throws Exception {
    Object read = StoreOptions.class.getMethod(setting.name()).invoke(options);
    return read instanceof Optional<?> path && path.isPresent() ? path.get() : read;
  }

  private static Object inBytes(Setting<?> setting, Object value) {
    return setting.choices().isEmpty() && !setting.type().equals("directory")
        ? bytesOrNumber(
            value instanceof OptionalLong size ? "" + size.orElseThrow() : value.toString())
        : value.toString();
  }

  /** A number with a fraction stays as it is. */
  private static Object bytesOrNumber(String text) {
    String whole = text.replaceFirst("\\.0$", "");
    return whole.contains(".") ? whole : (Object) ByteSize.parse(whole);
  }
}
