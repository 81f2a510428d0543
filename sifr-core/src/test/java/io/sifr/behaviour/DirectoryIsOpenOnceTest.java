package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.error.StoreLockedException;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("disk")
class DirectoryIsOpenOnceTest {
  @TempDir Path directory;

  /** Opens the directory, says so, and stays. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException {
      try (Store store = Store.open(Path.of(args[0]))) {
        store.database().put(bytes("by"), bytes("child"));
        System.out.println("open");
        System.out.flush();
        int unused = System.in.read();
      }
    }
  }

  @Test
  void inThisProcessUnderAnySpelling() throws IOException {
    Path real = directory.resolve("real");
    try (Store store = SmallStores.open(real)) {
      Path link = Files.createSymbolicLink(directory.resolve("link"), real);
      assertRefused(real, ProcessHandle.current().pid());
      assertRefused(link, ProcessHandle.current().pid());
      assertRefused(real.resolve("..").resolve("real"), ProcessHandle.current().pid());
      store.database().put(bytes("still"), bytes("fine"));
    }
    SmallStores.open(directory.resolve("link")).close();
  }

  @Test
  void inAnotherProcess() {
    try (ChildJvm holder = ChildJvm.start(Holder.class, directory.toString())) {
      assertThat(holder.nextLine()).isEqualTo("open");
      assertRefused(directory, holder.processId());
    }
    try (Store store = SmallStores.open(directory)) {
      assertThat(SmallStores.text(store.database().get(bytes("by")))).isEqualTo("child");
    }
  }

  private static void assertRefused(Path spelling, long holder) {
    assertThatThrownBy(() -> Store.open(spelling))
        .isInstanceOfSatisfying(
            StoreLockedException.class, e -> assertThat(e.holderProcessId()).isEqualTo(holder))
        .hasMessageContaining(
            holder == ProcessHandle.current().pid() ? "in this process" : "in process " + holder);
  }
}
