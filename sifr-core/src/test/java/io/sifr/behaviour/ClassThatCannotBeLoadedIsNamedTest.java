package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.error.SifrException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM throws for lack of a class often has no message, or one that names it and no more. */
class ClassThatCannotBeLoadedIsNamedTest {
  @TempDir Path directory;

  @Test
  void atOpen() {
    ForwardingFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public AppendFile create(Path file) {
            throw new ExceptionInInitializerError(new IllegalArgumentException("not supported"));
          }
        };
    assertThatThrownBy(() -> TestStores.open(directory, SmallStores.options().build(), files))
        .isInstanceOf(SifrException.class)
        .hasMessage(
            "cannot open %s, since a class of Sifr or of a library cannot be loaded:"
                + " java.lang.IllegalArgumentException: not supported",
            directory)
        .hasCauseInstanceOf(ExceptionInInitializerError.class);
    try (Store store = SmallStores.open(directory)) {
      store.database().put(bytes("the directory"), bytes("is not locked"));
    }
  }
}
