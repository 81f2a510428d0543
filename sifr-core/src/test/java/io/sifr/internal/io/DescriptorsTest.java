package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.FileNotOpenedException;
import io.sifr.error.UnreadableException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Tag("disk")
class DescriptorsTest {
  @TempDir Path directory;

  private final List<String> given = new ArrayList<>();

  /** Gives up its descriptor once. */
  private final class Named implements Descriptors.Holder {
    private final String name;
    private boolean used;

    Named(String name) {
      this.name = name;
    }

    @Override
    public boolean wasUsed() {
      boolean was = used;
      used = false;
      return was;
    }

    @Override
    public void giveUp() {
      given.add(name);
    }
  }

  private static FileSystemException lack() {
    return new FileSystemException("file", null, "Too many open files");
  }

  @Test
  void thoseNotReadOfLateGiveUpFirst() {
    Descriptors descriptors = new Descriptors(6, () -> 0);
    Named first = new Named("first");
    first.used = true;
    descriptors.opened(first);
    descriptors.opened(new Named("second"));
    descriptors.opened(new Named("third"));
    assertThat(given).isEmpty();
    descriptors.opened(new Named("fourth"));
    assertThat(given).containsExactly("second");
    descriptors.opened(new Named("fifth"));
    descriptors.opened(new Named("sixth"));
    assertThat(given).containsExactly("second", "third", "fourth");
  }

  @Test
  void whatIsClosedForGoodHasNothingToGive() {
    Descriptors descriptors = new Descriptors(2, () -> 0);
    Named closed = new Named("closed");
    descriptors.opened(closed);
    descriptors.closed(closed);
    descriptors.opened(new Named("other"));
    assertThat(given).isEmpty();
  }

  @Test
  void whatLacksADescriptorIsTriedAgainAsLongAsOthersGiveTheirs() throws IOException {
    Descriptors descriptors = new Descriptors(100, () -> 0);
    for (int i = 0; i < 20; i++) {
      descriptors.opened(new Named("file " + i));
    }
    String opened =
        descriptors.call(
            () -> {
              if (given.size() < 10) {
                throw lack();
              }
              return "opened";
            });
    assertThat(opened).isEqualTo("opened");
    assertThat(given).hasSize(16);
    assertThatThrownBy(
            () ->
                descriptors.call(
                    () -> {
                      throw lack();
                    }))
        .isInstanceOf(FileSystemException.class);
    assertThat(given).hasSize(20);
  }

  @Test
  void otherFailuresCostNobodyADescriptor() {
    Descriptors descriptors = new Descriptors(100, () -> 99);
    descriptors.opened(new Named("file"));
    assertThatThrownBy(
            () ->
                descriptors.call(
                    () -> {
                      throw new NoSuchFileException("file");
                    }))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(given).isEmpty();
  }

  /** The system's text is in the language of the process. */
  @Test
  void lackIsAlsoToldByHowManyAreInUse() {
    FileSystemException german = new FileSystemException("file", null, "Zu viele offene Dateien");
    FileNotFoundException ofAStream = new FileNotFoundException("file (Zu viele offene Dateien)");
    Descriptors all = new Descriptors(100, () -> 100);
    assertThat(all.isLackingFor(german)).isTrue();
    assertThat(all.isLackingFor(ofAStream)).isTrue();
    assertThat(all.isLackingFor(new AccessDeniedException("file"))).isFalse();
    Descriptors few = new Descriptors(100, () -> 50);
    assertThat(few.isLackingFor(german)).isFalse();
    assertThat(few.isLackingFor(lack())).isTrue();
  }

  @Test
  void theProcessHasALimit() {
    assertThat(Descriptors.limit()).isBetween(100L, Long.MAX_VALUE);
  }

  private DiskRandomReadFile file(int bytes) throws IOException {
    Path path = Files.write(directory.resolve("file"), content(bytes));
    DiskRandomReadFile file = DiskRandomReadFile.open(path);
    file.keepsItsName();
    return file;
  }

  private static byte[] content(int bytes) {
    byte[] content = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      content[i] = (byte) (i / 7);
    }
    return content;
  }

  private static byte[] read(RandomReadFile file) {
    ByteBuffer target = ByteBuffer.allocate((int) file.size());
    file.readFully(target, 0);
    return target.array();
  }

  @Test
  void fileThatGaveItUpIsReadOn() throws IOException {
    try (DiskRandomReadFile file = file(1000)) {
      file.giveUp();
      assertThat(read(file)).isEqualTo(content(1000));
      assertThat(file.wasUsed()).isTrue();
      assertThat(file.wasUsed()).isFalse();
    }
  }

  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "files have no numbers there")
  @Test
  void anotherFileOfItsNameIsNeverReadInstead() throws IOException {
    try (DiskRandomReadFile file = file(1000)) {
      file.giveUp();
      Path other = Files.write(directory.resolve("other"), content(1000));
      new DiskFileSystem().rename(other, directory.resolve("file"));
      assertThatThrownBy(() -> read(file)).isInstanceOf(UnreadableException.class);
      Files.delete(directory.resolve("file"));
      assertThatThrownBy(() -> read(file)).isInstanceOf(FileNotOpenedException.class);
    }
  }

  @Test
  void readersGoOnWhileItIsGivenUpAgainAndAgain() throws Exception {
    byte[] expected = content(3 << 20);
    try (DiskRandomReadFile file = file(expected.length)) {
      FutureTask<Integer> reading =
          new FutureTask<>(
              () -> {
                int right = 0;
                for (int i = 0; i < 50; i++) {
                  right += Arrays.equals(read(file), expected) ? 1 : 0;
                }
                return right;
              });
      new Thread(reading, "reader").start();
      while (!reading.isDone()) {
        file.giveUp();
      }
      assertThat(reading.get()).isEqualTo(50);
    }
  }
}
