package io.sifr.web;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.sifr.Backups;
import io.sifr.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page that shows a store, for a browser: its databases and their entries, its forests, what it
 * does and has done, and its backups. It only reads. A store that the program has open is shown as
 * it is at each moment:
 *
 * <pre>{@code
 * StoreEvents events = new StoreEvents();
 * try (Store store = Store.builder(directory).listener(events).open();
 *     StoreWindow window = StoreWindow.builder(store).events(events).open()) {
 *   System.out.println(window.address());
 *   …
 * }
 * }</pre>
 *
 * <p><b>There is no login.</b> Who can send a request to the window can read every key and value,
 * the names of databases, the path of the directory and the settings of the store. Unless an
 * address is set, only processes of the same machine can. Requests that name another host than the
 * window's are refused, so that a page of a stranger that a browser shows cannot read it. A server
 * of the program's own may have a login: {@link Builder#handler}.
 *
 * <p>Each request reads a bounded amount, and closes its cursor and its snapshot before the answer
 * is sent, so a slow browser holds nothing of the store. At most {@value Requests#MOST_AT_ONCE}
 * requests read the store at the same time. A window needs no close before its store: when the
 * store is closed, requests are answered by "503, the store is closed". Safe for any number of
 * threads.
 */
public final class StoreWindow implements AutoCloseable {
  private final HttpServer server;
  private final RequestThreads threads;
  private final Views views;
  private final URI address;

  private StoreWindow(HttpServer server, RequestThreads threads, Views views, URI address) {
    this.server = server;
    this.threads = threads;
    this.views = views;
    this.address = address;
  }

  /**
   * Prepares a window into an open store. The store stays the caller's: the window never closes it.
   * One that is read only is shown as it was when it was opened.
   */
  public static Builder builder(Store store) {
    return new Builder(new Views.OfStore(Objects.requireNonNull(store, "store")));
  }

  /**
   * Prepares a window into a store that may be open elsewhere, in this process or another one. The
   * window opens it to be {@linkplain Store.Builder#openReadOnly read only} while somebody looks,
   * sees its present at most about once a second, and closes it half a minute after the last look.
   *
   * @param store what to open, and how; not to be used any more by the caller
   */
  public static Builder readOnlyBuilder(Store.Builder store) {
    return new Builder(new RefreshedViews(Objects.requireNonNull(store, "store")));
  }

  /** Where the page is: {@code http://127.0.0.1:7437/}. */
  public URI address() {
    return address;
  }

  /**
   * Closes the window: ends the requests under way, and then closes what the window has opened
   * itself. It can be called more than once.
   */
  @Override
  public void close() {
    server.stop(0);
    threads.close();
    views.close();
  }

  @Override
  public String toString() {
    return "StoreWindow[" + address + "]";
  }

  /** The settings of a window: what it shows, and where. Not thread-safe. */
  public static final class Builder {
    private static final int MOST_PORT = 65_535;

    private final Views views;
    private final List<String> hosts = new ArrayList<>();
    private int port;
    private @Nullable String address;
    private @Nullable StoreEvents events;
    private @Nullable Backups backups;
    private Duration mostTime = RequestThreads.MOST_TIME;

    private Builder(Views views) {
      this.views = views;
    }

    /**
     * Sets the port; default: 0, any that is free.
     *
     * @throws IllegalArgumentException when it is not from 0 to 65535
     */
    @CanIgnoreReturnValue
    public Builder port(int port) {
      if (port < 0 || port > MOST_PORT) {
        throw new IllegalArgumentException("port " + port + "; allowed: 0 to " + MOST_PORT);
      }
      this.port = port;
      return this;
    }

    /**
     * Sets the address to listen at, by number or name; default: the loopback address, which other
     * machines cannot reach. {@code 0.0.0.0} is all addresses of this machine. Everybody who can
     * reach it can read everything.
     */
    @CanIgnoreReturnValue
    public Builder address(String address) {
      this.address = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * Allows requests that name a host. Without it they are those that name {@code localhost}, the
     * address at which they arrive, by number, or what {@link #address} was given: of another name
     * it is not known whose it is. For a window behind a proxy, or a name in a network.
     *
     * @param name of the host, without port
     */
    @CanIgnoreReturnValue
    public Builder host(String name) {
      hosts.add(Objects.requireNonNull(name, "name"));
      return this;
    }

    /** Shows events too: flushes, compactions, stalls and failures, which the store tells these. */
    @CanIgnoreReturnValue
    public Builder events(StoreEvents events) {
      this.events = Objects.requireNonNull(events, "events");
      return this;
    }

    /** Shows the points of backups, too. */
    @CanIgnoreReturnValue
    public Builder backups(Backups backups) {
      this.backups = Objects.requireNonNull(backups, "backups");
      return this;
    }

    /**
     * Sets how long a request may take, from its first byte to the last of its answer; for tests.
     */
    @CanIgnoreReturnValue
    Builder mostTime(Duration time) {
      mostTime = time;
      return this;
    }

    /**
     * A handler for a server of the program's own, such as {@code server.createContext("/store",
     * handler)}: the page is then at {@code /store/}. Port and address are those of the server, and
     * so are its threads and its authenticator, if the context has one. It needs no closing.
     *
     * @throws RuntimeException as {@link #open}
     */
    public HttpHandler handler() {
      Answers answers = new Answers(views, events, backups);
      // To fail now, and not in front of somebody who looks.
      try (Views.View view = views.acquire()) {
        long unused = view.store().lastSequence();
      }
      return new Requests(new HostNames(address, hosts), answers);
    }

    /**
     * Opens the window, in a server of its own with at most {@value RequestThreads#MOST} threads. A
     * request that takes more than half a minute, since its sender is slow for instance, is cut
     * off.
     *
     * @throws UncheckedIOException when it cannot listen there, since the port is taken for
     *     instance
     * @throws IllegalArgumentException when there is no such address, or no store; and as {@link
     *     Store.Builder#openReadOnly} if the window is to open the store
     * @throws IllegalStateException when the store is closed
     */
    public StoreWindow open() {
      InetSocketAddress place = new InetSocketAddress(resolved(), port);
      HttpHandler handler = handler();
      HttpServer server;
      try {
        server = HttpServer.create(place, 0);
      } catch (IOException e) {
        views.close();
        throw new UncheckedIOException(
            "cannot listen at " + place.getHostString() + ":" + port + ": " + e.getMessage(), e);
      }
      RequestThreads threads = new RequestThreads(mostTime);
      server.setExecutor(threads);
      server.createContext("/", handler);
      server.start();
      return new StoreWindow(server, threads, views, uri(server.getAddress()));
    }

    private InetAddress resolved() {
      if (address == null) {
        return InetAddress.getLoopbackAddress();
      }
      try {
        return InetAddress.getByName(address);
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("no address of this machine: " + address, e);
      }
    }

    private URI uri(InetSocketAddress bound) {
      InetAddress ip = bound.getAddress();
      String host;
      if (ip.isAnyLocalAddress()) {
        host = "localhost";
      } else if (address != null && !HostNames.isNumber(address)) {
        host = address;
      } else {
        host = HostNames.number(ip);
      }
      return URI.create("http://" + host + ":" + bound.getPort() + "/");
    }
  }
}
