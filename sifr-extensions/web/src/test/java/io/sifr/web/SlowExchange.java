package io.sifr.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A request whose sender receives nothing until it is told to: no buffer of a system helps. */
final class SlowExchange extends HttpExchange {
  private final Headers request = new Headers();
  private final Headers response = new Headers();
  private final URI uri;
  private final HttpContext context;
  private final CountDownLatch sending;
  private final CountDownLatch end;

  /**
   * A GET.
   *
   * @param sending is counted down when the first byte is sent
   * @param end when it has come to 0 the rest is received
   */
  SlowExchange(String path, CountDownLatch sending, CountDownLatch end) throws IOException {
    this.uri = URI.create(path);
    this.context = HttpServer.create().createContext("/");
    this.sending = sending;
    this.end = end;
    request.set("Host", "localhost");
  }

  @Override
  public Headers getRequestHeaders() {
    return request;
  }

  @Override
  public Headers getResponseHeaders() {
    return response;
  }

  @Override
  public URI getRequestURI() {
    return uri;
  }

  @Override
  public String getRequestMethod() {
    return "GET";
  }

  @Override
  public HttpContext getHttpContext() {
    return context;
  }

  @Override
  public void close() {}

  @Override
  public InputStream getRequestBody() {
    return InputStream.nullInputStream();
  }

  @Override
  public OutputStream getResponseBody() {
    return new OutputStream() {
      @Override
      public void write(int each) throws IOException {
        sending.countDown();
        try {
          end.await();
        } catch (InterruptedException e) {
          throw new InterruptedIOException();
        }
      }
    };
  }

  @Override
  public void sendResponseHeaders(int status, long length) {}

  @Override
  public InetSocketAddress getRemoteAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  }

  @Override
  public int getResponseCode() {
    return -1;
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return getRemoteAddress();
  }

  @Override
  public String getProtocol() {
    return "HTTP/1.1";
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return null;
  }

  @Override
  public void setAttribute(String name, Object value) {}

  @Override
  public void setStreams(InputStream in, OutputStream out) {}

  @Override
  public @Nullable HttpPrincipal getPrincipal() {
    return null;
  }
}
