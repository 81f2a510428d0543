package io.sifr.internal.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreIoException;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.spi.BackupStorage.Content;
import io.sifr.testing.ForwardingFileSystem;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory does what is expected of a storage. */
class DirectoryStorageTest {
  @TempDir Path temporary;

  private final List<Path> synced = new ArrayList<>();
  private boolean fails;

  private final ForwardingFileSystem files =
      new ForwardingFileSystem(new DiskFileSystem()) {
        @Override
        public void syncDirectory(Path directory) {
          if (fails) {
            throw new StoreIoException(directory, "sync", new IOException("drawn"));
          }
          synced.add(directory);
        }
      };

  private Path directory = Path.of("");
  private DirectoryStorage storage = new DirectoryStorage(files, directory);

  @BeforeEach
  void open() throws IOException {
    directory = temporary.toRealPath();
    storage = new DirectoryStorage(files, directory);
  }

  private static Content content(String text, long bytes) {
    return new Content() {
      @Override
      public long bytes() {
        return bytes;
      }

      @Override
      public InputStream open() {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
      }
    };
  }

  private void put(String name, String text) throws IOException {
    storage.put(name, content(text, text.length()));
  }

  private List<String> names(String prefix) {
    List<String> names = new ArrayList<>();
    storage.list(prefix, object -> names.add(object.name() + " " + object.bytes()));
    return names;
  }

  @Test
  void objectsAreFiles() throws IOException {
    put("a/b/c", "first");
    put("a/b/c", "second");
    put("top", "");
    assertThat(directory.resolve("a/b/c")).hasContent("second");
    try (InputStream in = storage.get("a/b/c")) {
      assertThat(in.readAllBytes()).isEqualTo("second".getBytes(UTF_8));
    }
    assertThat(names("")).containsExactlyInAnyOrder("a/b/c 6", "top 0");
    assertThat(names("a/")).containsExactly("a/b/c 6");
    assertThat(names("b/")).isEmpty();
    storage.delete("a/b/c");
    storage.delete("a/b/c");
    assertThatThrownBy(() -> storage.get("a/b/c")).isInstanceOf(NoSuchFileException.class);
    assertThat(names("")).containsExactly("top 0");
  }

  @Test
  void aPutIsAllOrNothing() throws IOException {
    put("a/b", "first");
    assertThatThrownBy(() -> storage.put("a/b", content("short", 9)))
        .isInstanceOf(EOFException.class);
    Content breaking =
        new Content() {
          @Override
          public long bytes() {
            return 9;
          }

          @Override
          public InputStream open() throws IOException {
            throw new IOException("drawn");
          }
        };
    assertThatThrownBy(() -> storage.put("a/b", breaking)).hasMessage("drawn");
    assertThat(directory.resolve("a")).isDirectoryContaining(file -> file.endsWith("b"));
    assertThat(names("")).containsExactly("a/b 5");
    assertThat(directory.resolve("a/b")).hasContent("first");
  }

  /** One sync serves many puts; one that has failed has to be repeated. */
  @Test
  void aSyncThatFailsIsNoSync() throws IOException {
    put("a/b", "1");
    put("a/c", "2");
    storage.sync();
    assertThat(synced).containsExactlyInAnyOrder(directory, directory.resolve("a"));
    synced.clear();
    storage.sync();
    assertThat(synced).isEmpty();
    put("a/d", "3");
    fails = true;
    assertThatThrownBy(() -> storage.sync()).isInstanceOf(StoreIoException.class);
    fails = false;
    storage.sync();
    assertThat(synced).containsExactly(directory.resolve("a"));
    synced.clear();
    storage.delete("a/b");
    storage.sync();
    assertThat(synced).containsExactly(directory.resolve("a"));
  }

  @Test
  void namesLeadNowhereElse() throws IOException {
    for (String name : List.of("..", "../a", "a/../b", "a/./b", "/a", "a//b", "a/", "", "a\\b")) {
      assertThatIllegalArgumentException()
          .as(name)
          .isThrownBy(() -> put(name, "text"))
          .withMessageContaining("is no name of an object");
      assertThatIllegalArgumentException().isThrownBy(() -> storage.delete(name));
      assertThatIllegalArgumentException().isThrownBy(() -> storage.get(name));
    }
    Path outside = Files.createDirectory(temporary.resolveSibling(temporary.getFileName() + "-2"));
    Path file = Files.writeString(outside.resolve("mine"), "mine");
    try {
      Files.createSymbolicLink(directory.resolve("link"), outside);
      put("a", "text");
      assertThat(names("")).containsExactly("a 4");
    } finally {
      Files.delete(file);
      Files.delete(Objects.requireNonNull(file.getParent()));
    }
  }
}
