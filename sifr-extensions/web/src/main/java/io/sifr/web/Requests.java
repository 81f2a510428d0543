package io.sifr.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests: with a file of the page, or with what {@link Answers} say. An answer is
 * complete before its first byte is sent, so nobody who receives slowly holds anything of the
 * store.
 */
final class Requests implements HttpHandler {
  /** Requests that read the store at the same time. */
  static final int MOST_AT_ONCE = 4;

  private static final Logger LOG = LoggerFactory.getLogger(StoreWindow.class);
  private static final long MOST_MILLIS_WAITED = 5000;
  private static final String API = "/api/";
  private static final String JSON = "application/json; charset=utf-8";

  /**
   * Nothing of the page comes from elsewhere, and nothing that it shows can become a part of it.
   */
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  /** A file of the page. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Part(String type, byte[] content) {}

  private final HostNames hosts;
  private final Answers answers;
  private final Map<String, Part> parts = new LinkedHashMap<>();
  private final Semaphore turns = new Semaphore(MOST_AT_ONCE, true);

  Requests(HostNames hosts, Answers answers) {
    this.hosts = hosts;
    this.answers = answers;
    parts.put("/", part("window.html", "text/html; charset=utf-8"));
    parts.put("/window.css", part("window.css", "text/css; charset=utf-8"));
    parts.put("/window.js", part("window.js", "text/javascript; charset=utf-8"));
  }

  private static Part part(String name, String type) {
    try (InputStream in = Requests.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("there is no " + name + " beside the classes");
      }
      return new Part(type, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      secure(exchange.getResponseHeaders());
      try {
        answer(exchange);
      } catch (RefusedException e) {
        refuse(exchange, e.status(), String.valueOf(e.getMessage()));
      } catch (SifrException e) {
        refuse(exchange, RefusedException.INTERNAL, String.valueOf(e.getMessage()));
      } catch (RuntimeException e) {
        LOG.warn("a request to look into a store failed", e);
        refuse(exchange, RefusedException.INTERNAL, "unexpected " + e.getClass().getSimpleName());
      }
    }
  }

  private static void secure(Headers headers) {
    headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Cache-Control", "no-store");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (!hosts.allow(exchange)) {
      throw new RefusedException(
          RefusedException.FORBIDDEN,
          "the request names a host that is not known to be this one; allowed: localhost, the"
              + " address by number, and names that the window was given");
    }
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      throw new RefusedException(
          RefusedException.METHOD_NOT_ALLOWED, "a window is looked through; allowed: GET, HEAD");
    }
    String context = exchange.getHttpContext().getPath();
    String root = context.endsWith("/") ? context.substring(0, context.length() - 1) : context;
    String path = exchange.getRequestURI().getRawPath().substring(root.length());
    if (path.isEmpty()) {
      exchange.getResponseHeaders().set("Location", root + "/");
      send(exchange, 308, JSON, new byte[0]);
      return;
    }
    Part part = parts.get(path);
    if (part != null) {
      Parameters unused = new Parameters(exchange.getRequestURI().getRawQuery(), Set.of());
      send(exchange, 200, part.type(), part.content());
    } else if (path.startsWith(API)) {
      String name = path.substring(API.length());
      send(exchange, 200, JSON, answer(name, exchange.getRequestURI().getRawQuery()));
    } else {
      throw new RefusedException(
          RefusedException.NOT_FOUND, "there is nothing here; the page is at " + root + "/");
    }
  }

  private byte[] answer(String name, String query) {
    boolean isMyTurn = false;
    try {
      isMyTurn = turns.tryAcquire(MOST_MILLIS_WAITED, TimeUnit.MILLISECONDS);
      if (!isMyTurn) {
        throw new RefusedException(
            RefusedException.UNAVAILABLE,
            "too many requests at once; at most " + MOST_AT_ONCE + " read the store");
      }
      return answers.answer(name, query);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RefusedException(RefusedException.UNAVAILABLE, "the window is being closed");
    } finally {
      if (isMyTurn) {
        turns.release();
      }
    }
  }

  private static void refuse(HttpExchange exchange, int status, String message) throws IOException {
    send(exchange, status, JSON, Json.object(json -> json.writeStringField("error", message)));
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] content)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(content.length));
    }
    boolean isEmpty = exchange.getRequestMethod().equals("HEAD") || content.length == 0;
    exchange.sendResponseHeaders(status, isEmpty ? -1 : content.length);
    if (!isEmpty) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(content);
      }
    }
  }

  /** How many requests may begin to read the store; for tests. */
  int freeTurns() {
    return turns.availablePermits();
  }
}
