package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A look at the disk that fails keeps nobody waiting. */
class UnknownSpaceTest {
  /** Has an error in place of the free space, while that is wanted. */
  private static final class Failing extends ForwardingFileSystem {
    private final AtomicBoolean fails;

    Failing(AtomicBoolean fails) {
      super(new DiskFileSystem());
      this.fails = fails;
    }

    @Override
    public long usableBytes(Path directory) {
      if (fails.get()) {
        throw new AssertionError("not now");
      }
      return super.usableBytes(directory);
    }
  }

  /** Whoever wakes compactions looks at the disk first, and has work to hand on. */
  @Test
  void compactionsAreWokenThoughTheSpaceIsNotKnown(@TempDir Path directory) {
    AtomicBoolean fails = new AtomicBoolean();
    try (Store store =
        TestStores.open(directory, SmallStores.options().build(), new Failing(fails))) {
      SmallStores.fill(store.database(), 0, 100, 1);
      store.pauseCompactions();
      fails.set(true);
      store.resumeCompactions();
      fails.set(false);
      store.database().compact();
      assertThat(store.database().forest().trees()).isEqualTo(1);
    }
  }
}
