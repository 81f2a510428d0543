package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.StoreOptions;
import io.sifr.testing.ChildJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a JVM loads to open a store that exists, and for its first get: most of the time of both in
 * a fresh process. A class of ours takes a tenth of a millisecond, one that stands for a lambda two
 * or three.
 */
@Tag("process")
class OpeningLoadsFewClassesTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final Pattern LOADED = Pattern.compile("(\\S+) source: .*");

  @TempDir Path directory;

  /** Opens a store and reads one key. */
  static final class FirstGet {
    private FirstGet() {}

    public static void main(String[] args) {
      StoreOptions options = StoreOptions.builder().checkBytesPerSecond(0).build();
      try (Store store = Store.open(Path.of(args[0]), options)) {
        System.out.println(new String(store.database().get(KEY), UTF_8));
        System.out.flush();
        Runtime.getRuntime().halt(0);
      }
    }
  }

  @BeforeEach
  void aStoreWithAnSst() {
    try (Store store = SmallStores.open(directory)) {
      store.database().put(KEY, "value".getBytes(UTF_8));
      store.flush();
    }
  }

  private List<String> loaded() {
    List<String> names = new ArrayList<>();
    try (ChildJvm child =
        ChildJvm.start(List.of("-Xlog:class+load:stdout"), FirstGet.class, directory.toString())) {
      boolean isRead = false;
      for (String line = child.nextLine(); line != null; line = child.nextLine()) {
        Matcher matcher = LOADED.matcher(line);
        if (matcher.find()) {
          names.add(matcher.group(1));
        }
        isRead |= line.equals("value");
      }
      assertThat(isRead).isTrue();
    }
    return names;
  }

  @Test
  void nothingThatIsNotNeeded() {
    List<String> names = loaded();
    assertThat(names)
        .as("no event is recorded")
        .doesNotContain("io.sifr.internal.engine.MemoryJfrEvent")
        .as("no block is copied")
        .doesNotContain("io.netty.buffer.PoolArena");
    assertThat(names)
        .as("it is not in memory")
        .noneMatch(name -> name.startsWith("io.sifr.internal.io.memory."));
    assertThat(names.stream().filter(name -> name.startsWith("io.sifr.internal.forest.EditCodec")))
        .as("an edit is decoded without a lambda for each kind")
        .hasSize(1);
    long ours = names.stream().filter(name -> name.startsWith("io.sifr.")).count();
    System.out.println("OpeningLoadsFewClassesTest: " + ours + " classes of ours");
    assertThat(ours).isLessThan(565);
  }
}
