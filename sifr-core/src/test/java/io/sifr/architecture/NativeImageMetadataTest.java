package io.sifr.architecture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sifr.Store;
import io.sifr.config.Compression;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.jmx.StoreBeans;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The file that tells GraalVM's native-image what the store reaches by name is complete, as far as
 * can be seen without building an image: it lists what the code of the store, and what it loads of
 * Caffeine and aircompressor, asks for, and nothing that is not there.
 */
@Tag("process")
@Tag("jvm")
class NativeImageMetadataTest {
  private static final String METADATA =
      "/META-INF/native-image/io.sifr/sifr-core/reachability-metadata.json";
  private static final String CACHES = "com.github.benmanes.caffeine.cache.";
  private static final String ZSTD = "io.airlift.compress.zstd.";

  /** The classes that ask for something, and for which types; for none, a comment says why. */
  private static final Map<String, Set<String>> ASKED_FOR =
      Map.of(
          "io.sifr.internal.codec.ZstdLibrary",
          Set.of(ZSTD + "ZstdCompressor", ZSTD + "ZstdDecompressor", "sun.misc.Unsafe"),
          "io.sifr.internal.io.DiskFileSystem",
          Set.of("com.sun.nio.file.ExtendedOpenOption"),
          "io.sifr.internal.io.MemoryMapper$ByArena",
          Set.of(
              "java.lang.foreign.Arena",
              "java.lang.foreign.MemorySegment",
              "java.nio.channels.FileChannel"),
          "io.sifr.internal.search.Query",
          Set.of("io.sifr.internal.search.Query"),
          "io.sifr.jmx.StoreBean",
          Set.of("io.sifr.jmx.StoreMXBean"),
          // native-image finds services itself.
          "io.sifr.internal.io.Announcements$OfThisProcess",
          Set.of(),
          // Only used before Java 22, and this file is read from GraalVM for JDK 23 on.
          "io.sifr.internal.io.MemoryMapper$ByCleaner",
          Set.of(),
          // Records of the program, which lists them itself.
          "io.sifr.map.RecordCodec",
          Set.of());

  @TempDir Path directory;

  private final List<JsonNode> entries = new ArrayList<>();

  /** Opens stores so that everything is loaded that may be. */
  static final class AllFeatures {
    private AllFeatures() {}

    public static void main(String[] args) {
      for (ReadMode mode : ReadMode.values()) {
        StoreOptions options =
            StoreOptions.builder()
                .readMode(mode)
                .compression(Compression.ZSTD)
                .maxOpenSsts(16)
                .keptLogBytes(0)
                .build();
        try (Store store = Store.open(Path.of(args[0], mode.name()), options)) {
          StoreBeans.register(store);
          store.pauseCompactions();
          for (int i = 0; i < 20; i++) {
            store.database().put(("key" + i).getBytes(UTF_8), new byte[1000]);
            store.flush();
          }
          for (int i = 0; i < 20; i++) {
            if (store.database().get(("key" + i).getBytes(UTF_8)) == null) {
              throw new IllegalStateException("key" + i + " is not there");
            }
          }
        }
      }
      System.out.println("done");
    }
  }

  @BeforeEach
  void readMetadata() throws IOException {
    JsonNode root;
    try (InputStream in = NativeImageMetadataTest.class.getResourceAsStream(METADATA)) {
      assertThat(in).isNotNull();
      root = new ObjectMapper().readTree(in);
    }
    assertThat(root.properties()).extracting(Map.Entry::getKey).containsExactly("reflection");
    root.get("reflection").forEach(entries::add);
    assertThat(entries).isNotEmpty();
  }

  private static String condition(JsonNode entry) {
    return entry.at("/condition/typeReached").asText();
  }

  private Set<String> listedFields() {
    Set<String> fields = new TreeSet<>();
    entries.forEach(
        entry ->
            entry
                .path("fields")
                .forEach(field -> fields.add(type(entry) + "#" + field.get("name").asText())));
    return fields;
  }

  private static String type(JsonNode entry) {
    return entry.get("type").asText();
  }

  private static ReflectionScan ofTheStore() throws IOException, URISyntaxException {
    ReflectionScan scan = new ReflectionScan();
    URL classes = Store.class.getProtectionDomain().getCodeSource().getLocation();
    try (Stream<Path> files = Files.walk(Path.of(classes.toURI()))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        try (InputStream in = Files.newInputStream(file)) {
          scan.add(in);
        }
      }
    }
    return scan;
  }

  @Test
  void whatTheStoreAsksForIsListed() throws Exception {
    ReflectionScan scan = ofTheStore();
    assertThat(scan.calls().keySet())
        .as("classes that ask by name; add what for to this test and to %s", METADATA)
        .isEqualTo(new TreeSet<>(ASKED_FOR.keySet()));
    assertThat(listedFields()).containsAll(scan.fields());
    Map<String, Set<String>> listed =
        entries.stream()
            .collect(
                groupingBy(
                    NativeImageMetadataTest::condition,
                    mapping(NativeImageMetadataTest::type, toSet())));
    ASKED_FOR.forEach(
        (by, types) ->
            assertThat(listed.getOrDefault(by, Set.of()))
                .as("when %s is reached", by)
                .isEqualTo(types));
  }

  @Test
  void whatIsListedIsThere() throws Exception {
    for (JsonNode entry : entries) {
      assertThat(load(condition(entry))).isNotNull();
      boolean isOfLaterJvm = entry.toString().contains("java.lang.foreign");
      if (isOfLaterJvm && Runtime.version().feature() < 22) {
        continue;
      }
      Class<?> type = load(type(entry));
      for (JsonNode field : entry.path("fields")) {
        assertThat(type.getDeclaredField(field.get("name").asText())).isNotNull();
      }
      for (JsonNode method : entry.path("methods")) {
        List<Class<?>> parameters = new ArrayList<>();
        for (JsonNode parameter : method.get("parameterTypes")) {
          parameters.add(load(parameter.asText()));
        }
        Class<?>[] types = parameters.toArray(Class<?>[]::new);
        String name = method.get("name").asText();
        if (name.equals("<init>")) {
          assertThat(type.getDeclaredConstructor(types)).isNotNull();
        } else {
          assertThat(type.getMethod(name, types)).isNotNull();
        }
      }
    }
  }

  private static Class<?> load(String name) throws ClassNotFoundException {
    return switch (name) {
      case "int" -> int.class;
      case "long" -> long.class;
      case "byte[]" -> byte[].class;
      default -> Class.forName(name, false, NativeImageMetadataTest.class.getClassLoader());
    };
  }

  /** Caffeine makes the names of the classes of a cache from what the cache can do. */
  @Test
  void whatCaffeineAndTheCompressorAskForIsListed() throws Exception {
    Set<String> loaded = loaded();
    Set<String> caches =
        loaded.stream()
            .filter(name -> name.matches(Pattern.quote(CACHES) + "[PFSW][A-Z]*"))
            .collect(toCollection(TreeSet::new));
    Set<String> made = new TreeSet<>(caches);
    for (String each : caches) {
      for (Class<?> above = load(each).getSuperclass();
          above != null;
          above = above.getSuperclass()) {
        made.remove(above.getName());
      }
    }
    assertThat(made).hasSize(4);
    assertThat(entries.stream().map(NativeImageMetadataTest::type)).containsAll(made);
    for (String each : made) {
      boolean isNode = each.startsWith(CACHES + "P");
      assertThat(entries)
          .anyMatch(
              entry ->
                  type(entry).equals(each)
                      && (isNode
                          ? entry.at("/methods/0/name").asText().equals("<init>")
                          : entry.at("/fields/0/name").asText().equals("FACTORY")));
    }

    ReflectionScan scan = new ReflectionScan();
    for (String each : loaded) {
      try (InputStream in =
          NativeImageMetadataTest.class.getResourceAsStream(
              "/" + each.replace('.', '/') + ".class")) {
        if (in != null) {
          scan.add(in);
        }
      }
    }
    // The field of the factories, which the loop above has found in each.
    scan.fields().remove(CACHES + "LocalCacheFactory#FACTORY");
    assertThat(listedFields()).containsAll(scan.fields());
    assertThat(scan.calls())
        .containsOnlyKeys(
            CACHES + "Caffeine", // whether loaders override methods: here there are none
            CACHES + "LocalCacheFactory",
            CACHES + "NodeFactory",
            ZSTD + "UnsafeUtil");
    assertThat(listedFields()).contains("sun.misc.Unsafe#theUnsafe");
  }

  private Set<String> loaded() {
    Pattern ofLibrary = Pattern.compile("((" + CACHES + "|" + ZSTD + ")[\\w$]+) source: ");
    Set<String> names = new TreeSet<>();
    try (ChildJvm child =
        ChildJvm.start(
            List.of("-Xlog:class+load:stdout", "-XX:TieredStopAtLevel=1"),
            AllFeatures.class,
            directory.toString())) {
      boolean isDone = false;
      for (String line = child.nextLine(); line != null; line = child.nextLine()) {
        Matcher matcher = ofLibrary.matcher(line);
        if (matcher.find()) {
          names.add(matcher.group(1));
        }
        isDone |= line.equals("done");
      }
      assertThat(isDone).isTrue();
    }
    return names;
  }
}
