package io.sifr.cli;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.web.StoreEvents;
import io.sifr.web.StoreWindow;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sifr serve}. */
@Command(
    name = "serve",
    footerHeading = "%nExamples:%n",
    footer = {
      "  sifr serve --db fruit",
      "  sifr serve --db fruit --port 8080 --backups fruit-backup"
    },
    description = {
      "Shows a store in a browser.",
      "It only reads, and a program may have the store open, or open it meanwhile: what is shown is"
          + " at most about a second old. Ctrl-C ends it. There is no login: who can reach the"
          + " address can read everything."
    })
final class ServeCommand implements Callable<Integer> {
  private static final int MOST_PORT = 65_535;

  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "7437",
      description = "Port to listen at; 0: any that is free. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description = {
        "Address to listen at; 0.0.0.0: all of this machine. Default: the loopback, which others"
            + " cannot reach."
      })
  private @Nullable String address;

  @Option(
      names = "--backups",
      paramLabel = "DIR",
      description = "Show the backups in this directory, too.")
  private @Nullable Path backups;

  ServeCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (port < 0 || port > MOST_PORT) {
      throw new CommandFailure(
          ExitCodes.USAGE, "--port is " + port + "; allowed: 0 to " + MOST_PORT);
    }
    CountDownLatch stopped = new CountDownLatch(1);
    return context.cleanup().during(stopped::countDown, () -> serve(stopped));
  }

  private int serve(CountDownLatch stopped) {
    try (StoreWindow window = open()) {
      askOnce(window);
      context.console().println(window.address() + " shows " + directory.directory());
      context.console().flush();
      stopped.await();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCodes.STOPPED;
  }

  /**
   * Asks what somebody who looks will ask. Classes are loaded, and files opened, by the first
   * answer of each kind, which takes two times as long as later ones.
   */
  private static void askOnce(StoreWindow window) {
    for (String question : List.of("store", "databases", "entries", "forest", "metrics")) {
      try (InputStream answer = window.address().resolve("api/" + question).toURL().openStream()) {
        var unused = answer.readAllBytes();
      } catch (IOException e) {
        // There may be no answer, of a damaged store for instance: it is told who asks.
      }
    }
  }

  private StoreWindow open() {
    StoreEvents events = new StoreEvents();
    Store.Builder store =
        Store.builder(directory.directory())
            .encryption(context.keys())
            .allowUnregistered()
            .listener(events);
    StoreWindow.Builder window = StoreWindow.readOnlyBuilder(store).port(port).events(events);
    if (address != null) {
      window.address(address);
    }
    if (backups != null) {
      window.backups(Backups.in(backups));
    }
    try {
      return window.open();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }
}
