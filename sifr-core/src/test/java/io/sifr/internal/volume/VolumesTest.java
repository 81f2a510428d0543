package io.sifr.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreIoException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a compaction may leave where it is, and what it has to write anew. */
class VolumesTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final Path COLD = Path.of("/cold");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  private StoreFileSystem open(StoreVolumes.Wanted wanted) {
    return StoreVolumes.open(disk.fileSystem(), DIRECTORY, () -> {}, "LOCK", wanted).files();
  }

  private static void create(StoreFileSystem files, long number, Path in) {
    files.create(FileKind.SST.path(in, number)).close();
  }

  private static boolean isInPlace(StoreFileSystem files, long number, Path into) {
    return files.isInPlace(FileKind.SST.path(DIRECTORY, number), into);
  }

  @Test
  void whatIsColdMayStayAndWhatIsFastMayNot() {
    StoreFileSystem files = open(new StoreVolumes.Wanted(FAST, 1 << 20, false, COLD, 1 << 10));
    assertThat(files.placeForRows(DIRECTORY)).isEqualTo(FAST);
    assertThat(files.placeForLast(DIRECTORY)).isEqualTo(COLD);
    create(files, 1, FAST);
    create(files, 2, DIRECTORY);
    create(files, 3, COLD);
    assertThat(isInPlace(files, 1, FAST)).isTrue();
    assertThat(isInPlace(files, 1, DIRECTORY)).isFalse();
    assertThat(isInPlace(files, 1, COLD)).isFalse();
    assertThat(isInPlace(files, 2, DIRECTORY)).isTrue();
    assertThat(isInPlace(files, 2, COLD)).isFalse();
    assertThat(isInPlace(files, 3, DIRECTORY)).isTrue();
    assertThat(isInPlace(files, 3, COLD)).isTrue();
  }

  /** It may be gone, and a manifest that is deleted before there is one would be in its way. */
  @Test
  void anotherDeviceIsNotAskedForWhatItNeverHas() {
    FaultyFileSystem device = new FaultyFileSystem(disk.fileSystem());
    StoreVolumes.Wanted wanted = new StoreVolumes.Wanted(FAST, 1 << 20, false, COLD, 1 << 10);
    StoreFileSystem files = StoreVolumes.open(device, DIRECTORY, () -> {}, "LOCK", wanted).files();
    for (Operation operation : Operation.values()) {
      device.failForGood(operation, path -> !path.startsWith(DIRECTORY), 1, Fault.EIO);
    }
    for (FileKind kind : List.of(FileKind.MANIFEST, FileKind.VALUES, FileKind.TAIL)) {
      Path file = kind.path(DIRECTORY, 7);
      assertThat(files.placeOf(file)).isEqualTo(file);
      assertThat(files.exists(file)).isFalse();
      files.delete(file);
    }
    assertThatThrownBy(() -> files.exists(FileKind.SST.path(DIRECTORY, 7)))
        .isInstanceOf(StoreIoException.class);
  }

  @Test
  void whatIsInADirectoryThatIsGivenUpHasToLeaveIt() {
    create(open(new StoreVolumes.Wanted(null, 0, false, COLD, 1 << 10)), 3, COLD);
    StoreFileSystem files = open(new StoreVolumes.Wanted(null, 0, false, null, 1 << 10));
    assertThat(files.placeForLast(DIRECTORY)).isEqualTo(DIRECTORY);
    assertThat(isInPlace(files, 3, DIRECTORY)).isFalse();
  }
}
