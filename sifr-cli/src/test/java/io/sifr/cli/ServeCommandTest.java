package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ServeCommandTest {
  @TempDir private Path temporary;

  private static String fetch(URL url) throws IOException {
    try (InputStream in = url.openStream()) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  /** Reads the line that the command prints when it can be asked. */
  private static URI address(InputStream out, Path store) throws IOException {
    String line = new BufferedReader(new InputStreamReader(out, UTF_8)).readLine();
    assertThat(line).endsWith("/ shows " + store);
    return URI.create(line.substring(0, line.indexOf(' ')));
  }

  @Test
  void aStoreInUseIsShownUntilTheCommandIsStopped() throws Exception {
    Path directory = temporary.resolve("store");
    Path backups = temporary.resolve("backups");
    Cleanup cleanup = new Cleanup();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (Store writer = Store.open(directory);
        PipedInputStream out = new PipedInputStream();
        OutputStream written = new PipedOutputStream(out)) {
      writer.database().put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
      Backups.in(backups).create(writer);
      Console console =
          new Console(new ByteArrayInputStream(new byte[0]), written, err, TerminalTraits.NONE);
      FutureTask<Integer> command =
          new FutureTask<>(
              () ->
                  new SifrCommand(new CliContext(console, cleanup))
                      .execute("serve", "--db=" + directory, "--port=0", "--backups=" + backups));
      new Thread(command, "serve").start();

      URI address = address(out, directory);
      assertThat(address.getHost()).isEqualTo(InetAddress.getLoopbackAddress().getHostAddress());
      assertThat(fetch(address.toURL())).contains("<title>Sifr</title>");
      assertThat(fetch(address.resolve("api/entries").toURL()))
          .contains("\"key\":\"6170706c65\",\"length\":3,\"value\":\"726564\"");
      assertThat(fetch(address.resolve("api/store").toURL())).contains("\"readOnly\":true");
      assertThat(fetch(address.resolve("api/backups").toURL())).contains("\"number\":1");

      cleanup.stop(failure -> assertThat(failure).isNull());
      assertThat(command.get()).isEqualTo(ExitCodes.STOPPED);
      assertThat(err.toString(UTF_8)).isEmpty();
    }
  }

  @Test
  void whatCannotBeShownIsToldWithItsReason() throws IOException {
    Path nothing = temporary.resolve("nothing");
    Cli.Result missing = Cli.run(nothing, "serve", "--port=0");
    assertThat(missing.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(missing.err()).contains(nothing.toString());

    Cli.Result port = Cli.run(nothing, "serve", "--port=65536");
    assertThat(port.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(port.err()).contains("--port is 65536; allowed: 0 to 65535");

    Path directory = temporary.resolve("store");
    Store.open(directory).close();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Cli.Result busy = Cli.run(directory, "serve", "--port=" + taken.getLocalPort());
      assertThat(busy.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
      assertThat(busy.err())
          .startsWith("sifr: cannot listen at ")
          .contains(":" + taken.getLocalPort() + ": ")
          .hasLineCount(1);
    }
  }

  @Test
  @Tag("process")
  @EnabledOnOs(OS.LINUX)
  void anInterruptEndsItAsOthers() throws Exception {
    Path directory = temporary.resolve("store");
    Store.open(directory).close();
    Process process =
        new ProcessBuilder(
                // The build may run where interrupts are ignored, and children inherit that.
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SifrCommand.class.getName(),
                "serve",
                "--db=" + directory,
                "--port=0")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      URI address = address(process.getInputStream(), directory);
      assertThat(fetch(address.resolve("api/databases").toURL())).contains("\"default\"");
      // A program may open it meanwhile.
      Store.open(directory).close();
      int signalled =
          new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
      assertThat(signalled).isZero();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).isEqualTo(ExitCodes.STOPPED);
    } finally {
      process.destroyForcibly();
    }
  }
}
