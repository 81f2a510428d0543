package io.sifr.bench.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A small disk: an ext4 file system in a file, mounted through a loop device. Creating one requires
 * permission to mount, usually root. It is also unmounted when this process ends.
 */
public final class DiskImage implements AutoCloseable {
  private static final List<String> TOOLS = List.of("mkfs.ext4", "mount", "umount", "sync");

  /** The system writes all of its own data at once; otherwise later, beside what is measured. */
  private static final String ALL_AT_ONCE = "lazy_itable_init=0,lazy_journal_init=0";

  /** What the kernel says of a device: the place of the sectors written, and their size. */
  private static final int SECTORS_WRITTEN = 6;

  private static final long SECTOR_BYTES = 512;

  private static final List<Path> SYSTEM_DIRECTORIES =
      List.of(Path.of("/usr/sbin"), Path.of("/sbin"), Path.of("/usr/bin"), Path.of("/bin"));

  private final Path image;
  private final Path mountPoint;
  private final Thread whenProcessEnds = new Thread(this::unmount, "bench-unmount");

  private DiskImage(Path image, Path mountPoint) {
    this.image = image;
    this.mountPoint = mountPoint;
  }

  /** Why none can be created here, if so. */
  public static Optional<String> obstacle() {
    for (String tool : TOOLS) {
      if (find(tool).isEmpty()) {
        return Optional.of("there is no " + tool);
      }
    }
    Path control = Path.of("/dev/loop-control");
    return Files.isWritable(control)
        ? Optional.empty()
        : Optional.of(control + " does not exist or is not writable, which requires root");
  }

  private static Optional<Path> find(String tool) {
    return SYSTEM_DIRECTORIES.stream()
        .map(directory -> directory.resolve(tool))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Creates and mounts one. No blocks are reserved for root, which would otherwise have more space
   * than other users.
   *
   * @param parent a directory with room for it
   * @param bytes of the disk, including the file system's own data
   * @throws DiskImageException when that is not possible; the message says why
   */
  public static DiskImage create(Path parent, long bytes) {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new DiskImageException("no disk image can be created here: " + obstacle.get());
    }
    DiskImage disk;
    try {
      Path image = Files.createTempFile(parent, "sifr-bench-disk-", ".ext4");
      disk = new DiskImage(image, Files.createTempDirectory(parent, "sifr-bench-mounted-"));
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.setLength(bytes);
      }
    } catch (IOException e) {
      throw new DiskImageException("cannot create a disk image in " + parent, e);
    }
    try {
      run("mkfs.ext4", "-q", "-m", "0", "-E", ALL_AT_ONCE, disk.image.toString());
      run("mount", "-o", "loop", disk.image.toString(), disk.mountPoint.toString());
    } catch (DiskImageException e) {
      disk.delete();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(disk.whenProcessEnds);
    return disk;
  }

  /** Its root directory. */
  public Path directory() {
    return mountPoint;
  }

  /**
   * Free bytes for files.
   *
   * @throws DiskImageException when the system does not report it
   */
  public long freeBytes() {
    try {
      return Files.getFileStore(mountPoint).getUsableSpace();
    } catch (IOException e) {
      throw new DiskImageException("cannot get the free space of " + mountPoint, e);
    }
  }

  /**
   * The number of its device, as control groups name it, for instance 7:0.
   *
   * @throws DiskImageException when the system does not report it
   */
  public String device() {
    try {
      long device = (Long) Files.getAttribute(mountPoint, "unix:dev");
      long minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
      return ((device >>> 8) & 0xfff) + ":" + minor;
    } catch (IOException e) {
      throw new DiskImageException("cannot get the device of " + mountPoint, e);
    }
  }

  /**
   * Bytes that its device has been given to write; only differences mean something, because the
   * device may have had another image before.
   *
   * @throws DiskImageException when the system does not report it
   */
  public long writtenBytes() {
    Path statistics = Path.of("/sys/dev/block", device(), "stat");
    try {
      String[] figures = Files.readString(statistics).strip().split("\\s+", -1);
      return SECTOR_BYTES * Long.parseLong(figures[SECTORS_WRITTEN]);
    } catch (IOException e) {
      throw new DiskImageException("cannot read " + statistics, e);
    }
  }

  /**
   * Gives the device everything that is still in the page cache.
   *
   * @throws DiskImageException when that fails
   */
  public void sync() {
    run("sync", "-f", mountPoint.toString());
  }

  /**
   * Unmounts and deletes it. No file in it may be open.
   *
   * @throws DiskImageException when that is not possible
   */
  @Override
  public void close() {
    unmount();
    boolean unused = Runtime.getRuntime().removeShutdownHook(whenProcessEnds);
  }

  private void unmount() {
    try {
      run("umount", mountPoint.toString());
    } catch (DiskImageException e) {
      // Some process has a file open: it keeps the file, but the mount is removed.
      run("umount", "--lazy", mountPoint.toString());
    }
    delete();
  }

  private void delete() {
    try {
      Files.deleteIfExists(mountPoint);
      Files.deleteIfExists(image);
    } catch (IOException e) {
      throw new DiskImageException("cannot delete the disk image " + image, e);
    }
  }

  private static void run(String tool, String... arguments) {
    List<String> command =
        Stream.concat(Stream.of(find(tool).orElseThrow().toString()), Arrays.stream(arguments))
            .toList();
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int exitCode = process.waitFor();
      if (exitCode != 0) {
        throw new DiskImageException(
            String.join(" ", command) + " ended with " + exitCode + ": " + said.strip());
      }
    } catch (IOException e) {
      throw new DiskImageException("cannot run " + tool, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DiskImageException("interrupted while " + tool + " ran");
    }
  }
}
