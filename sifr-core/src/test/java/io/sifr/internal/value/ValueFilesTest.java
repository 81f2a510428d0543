package io.sifr.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.testing.Entry;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A value file is there as long as somebody holds it. */
class ValueFilesTest {
  private static final Entry ENTRY = ValueFixture.put("key", 1, new byte[100]);

  @TempDir Path directory;

  @Test
  void theLastWhoLetsGoDeletesTheFile() {
    ValueFixture fixture = new ValueFixture(directory);
    Reference at = fixture.write(Codecs.NONE, List.of(ENTRY)).get(0);
    try (ValueFiles files = fixture.files()) {
      files.hold(ValueFixture.NUMBER);
      files.hold(ValueFixture.NUMBER);
      byte[] value = new byte[100];
      files.read(at, ENTRY.key(), 0, 100, value, 0);
      files.letGo(ValueFixture.NUMBER);
      assertThat(fixture.path()).exists();
      files.read(at, ENTRY.key(), 0, 100, value, 0);
      files.letGo(ValueFixture.NUMBER);
      assertThat(fixture.path()).doesNotExist();
      assertThatThrownBy(() -> files.read(at, ENTRY.key(), 0, 100, value, 0))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("the file is missing");
    }
  }

  /** Who found a reference before a compaction copied its value looks for it again. */
  @Test
  void aValueOfAFileThatIsGoneIsOutdatedWhileTheStoreIsOpen() {
    ValueFixture fixture = new ValueFixture(directory);
    Reference at = fixture.write(Codecs.NONE, List.of(ENTRY)).get(0);
    byte[] value = new byte[100];
    try (ValueFiles files =
        ValueFiles.ofOpenStore(fixture.fileSystem, directory, Codecs::withId, true)) {
      files.hold(ValueFixture.NUMBER);
      files.read(at, ENTRY.key(), 0, 100, value, 0);
      files.letGo(ValueFixture.NUMBER);
      assertThatThrownBy(() -> files.read(at, ENTRY.key(), 0, 100, value, 0))
          .isInstanceOf(OutdatedException.class);
      files.hold(ValueFixture.NUMBER);
      assertThatThrownBy(() -> files.read(at, ENTRY.key(), 0, 100, value, 0))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("the file is missing");
    }
  }

  @Test
  void whatIsHeldStaysWhenAllIsClosed() {
    ValueFixture fixture = new ValueFixture(directory);
    Reference at = fixture.write(Codecs.NONE, List.of(ENTRY)).get(0);
    byte[] value = new byte[100];
    ValueFiles files = fixture.files();
    files.hold(ValueFixture.NUMBER);
    files.read(at, ENTRY.key(), 0, 100, value, 0);
    files.close();
    assertThat(fixture.path()).exists();
    assertThatThrownBy(() -> files.read(at, ENTRY.key(), 0, 100, value, 0))
        .isInstanceOf(IllegalStateException.class);
  }
}
