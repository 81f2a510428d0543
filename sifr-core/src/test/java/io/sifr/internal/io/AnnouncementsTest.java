package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sifr.spi.ReadAnnouncer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnnouncementsTest {
  @TempDir Path directory;

  private final DiskFileSystem disk = new DiskFileSystem();
  private final List<String> asked = new ArrayList<>();
  private Path file = Path.of("");

  @BeforeEach
  void writeFile() throws IOException {
    file = Files.write(directory.resolve("announced"), new byte[1 << 16]);
  }

  private Announcements of(Predicate<ByteBuffer> announcer) {
    return new Announcements(
        new ReadAnnouncer() {
          @Override
          public Optional<String> obstacle() {
            return Optional.empty();
          }

          @Override
          public boolean announce(ByteBuffer mapped) {
            asked.add(mapped.position() + "+" + mapped.remaining() + " " + mapped.isDirect());
            return announcer.test(mapped);
          }
        });
  }

  private void announce(Announcements announcements) {
    try (MappedRegion region = disk.mapForRead(file, 1 << 16)) {
      announcements.announce(region.buffer(), 8192, 4096);
    }
  }

  @Test
  void theAnnouncerGetsThePartOfTheMapping() {
    Announcements announcements = of(mapped -> true);
    announce(announcements);
    assertThat(asked).containsExactly("0+4096 true");
    assertThat(announcements.arePossible()).isTrue();
    assertThat(announcements.obstacle()).isEmpty();
  }

  @Test
  void whatIsNotMappedIsNotAnnounced() {
    of(mapped -> true).announce(ByteBuffer.allocate(8192), 0, 4096);
    assertThat(asked).isEmpty();
  }

  @Test
  void anAnnouncerThatRefusesIsNotAskedAgain() {
    Announcements announcements = of(mapped -> false);
    announce(announcements);
    announce(announcements);
    assertThat(asked).hasSize(1);
    assertThat(announcements.arePossible()).isFalse();
    assertThat(announcements.obstacle()).contains("refused");
  }

  @Test
  void anAnnouncerThatFailsHarmsNoReader() {
    Announcements announcements =
        of(
            mapped -> {
              throw new IllegalCallerException("no native access");
            });
    assertThatCode(() -> announce(announcements)).doesNotThrowAnyException();
    announce(announcements);
    assertThat(asked).hasSize(1);
    assertThat(announcements.obstacle()).contains("no native access");
  }

  @Test
  void withoutAnAnnouncerNothingIsAnnounced() {
    Announcements none = new Announcements(null);
    announce(none);
    assertThat(none.arePossible()).isFalse();
    assertThat(none.obstacle()).contains("sifr-native-reads");
    Announcements kept =
        new Announcements(
            new ReadAnnouncer() {
              @Override
              public Optional<String> obstacle() {
                return Optional.of("it rains");
              }

              @Override
              public boolean announce(ByteBuffer mapped) {
                throw new AssertionError("it is not asked");
              }
            });
    announce(kept);
    assertThat(kept.arePossible()).isFalse();
    assertThat(kept.obstacle()).isEqualTo("it rains");
  }
}
