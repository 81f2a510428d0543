package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sifr.Store;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands on a store whose disk is full: a small file system in memory, which a process of its own
 * mounts for itself. Skipped where it may not.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FullDiskTest {
  @TempDir private Path directory;

  /** Takes what is left of a disk. */
  private enum Filling {
    BYTES {
      @Override
      void fill(Path disk) throws IOException {
        try (OutputStream out = Files.newOutputStream(disk.resolve("others"))) {
          while (true) {
            out.write(new byte[1000]);
          }
        }
      }
    },
    FILES {
      @Override
      void fill(Path disk) throws IOException {
        for (int number = 0; true; number++) {
          Files.createFile(disk.resolve("other-" + number));
        }
      }
    };

    /** Ends with the exception that says that there is no space. */
    abstract void fill(Path disk) throws IOException;
  }

  static final class Program {
    private Program() {}

    /** Fills the disk with a store on it, and runs commands. */
    public static void main(String[] args) throws IOException {
      Path disk = Path.of(args[0]);
      Path directory = disk.resolve("store");
      try (Store store = Store.open(directory)) {
        store.database().put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
        store.flush();
        store.database().put("pear".getBytes(UTF_8), "green".getBytes(UTF_8));
      }
      // As a copy of the files may lack it: without space for a file it cannot be made anew.
      Files.delete(directory.resolve("LOCK"));
      try {
        Filling.valueOf(args[1]).fill(disk);
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
      for (String command : args[2].split(",", -1)) {
        String[] words = command.split(" ", -1);
        Cli.Result result =
            Cli.run(
                directory,
                words[0],
                List.of(words).subList(1, words.length).toArray(String[]::new));
        System.out.printf("%s: %d %s%s", command, result.exitCode(), result.out(), result.err());
      }
    }
  }

  private static int exitCode(List<String> command, Path output)
      throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start()
        .waitFor();
  }

  /** What the program has written. */
  private String run(Filling filling, String commands) throws IOException, InterruptedException {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    Path output = directory.resolve("output");
    String mount = "mount -t tmpfs -o size=16m,nr_inodes=50 tmpfs '" + disk + "'";
    List<String> own = List.of("unshare", "--map-root-user", "--mount", "sh", "-c");
    boolean mayMount;
    try {
      List<String> mounting = new ArrayList<>(own);
      mounting.add(mount);
      mayMount = exitCode(mounting, output) == 0;
    } catch (IOException e) {
      mayMount = false; // there is no such program
    }
    assumeTrue(mayMount, "this process may not mount anything");
    List<String> command = new ArrayList<>(own);
    command.addAll(
        List.of(
            mount + " && exec \"$@\"",
            "sh",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            disk.toString(),
            filling.name(),
            commands));
    int exitCode = exitCode(command, output);
    String written = Files.readString(output);
    assertThat(exitCode).as(written).isZero();
    return written;
  }

  /** Without a LOCK, and without space for one, it can only be read. */
  @Test
  void whatOnlyReadsReadsAStoreThatCannotBeOpened() throws IOException, InterruptedException {
    assertThat(run(Filling.FILES, "count,get pear,scan,put fig blue"))
        .contains("No space left on device")
        .contains("count: 0 2\n")
        .contains("store has no space left on its disk, so it is read as it is now")
        .contains("get pear: 0 green\n")
        .contains("scan: 0 apple\tred\npear\tgreen\n")
        .contains("put fig blue: " + ExitCodes.UNUSABLE + " ");
  }

  @Test
  void aStoreIsOpenedAndDeletedFromWithoutAByte() throws IOException, InterruptedException {
    assertThat(run(Filling.BYTES, "count,delete apple,count,scan"))
        .contains("No space left on device")
        .contains("count: 0 2\n")
        .doesNotContain("it is read as it is now")
        .contains("delete apple: 0 ")
        .contains("count: 0 1\n")
        .contains("scan: 0 pear\tgreen\n");
  }
}
