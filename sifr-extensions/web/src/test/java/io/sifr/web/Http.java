package io.sifr.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Sends requests byte by byte: clients of the JDK do not let a program choose the host. */
final class Http {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_MILLIS = 30_000;

  private Http() {}

  /** What came back. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Response(int status, Map<String, String> headers, byte[] body) {
    JsonNode json() throws IOException {
      return JSON.readTree(body);
    }

    String error() throws IOException {
      return json().path("error").asText();
    }

    @Override
    public String toString() {
      return status + " " + headers + " " + new String(body, UTF_8);
    }
  }

  /** What GET brings, from the host that the address names. */
  static Response get(URI window, String path) throws IOException {
    return send(window, "GET", path, "Host: " + window.getAuthority());
  }

  /** As above, as JSON. */
  static JsonNode json(URI window, String path) throws IOException {
    Response response = get(window, path);
    if (response.status() != 200) {
      throw new IOException(path + ": " + response);
    }
    return response.json();
  }

  /** A request with header lines, on a connection of its own. */
  static Response send(URI window, String method, String path, String... headers)
      throws IOException {
    try (Socket socket = new Socket(window.getHost(), window.getPort())) {
      socket.setSoTimeout(MOST_MILLIS);
      begin(socket.getOutputStream(), method, path, headers);
      return parsed(socket.getInputStream().readAllBytes());
    }
  }

  static void begin(OutputStream out, String method, String path, String... headers)
      throws IOException {
    StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    out.write(request.append("Connection: close\r\n\r\n").toString().getBytes(UTF_8));
    out.flush();
  }

  private static Response parsed(byte[] bytes) throws IOException {
    String text = new String(bytes, ISO_8859_1);
    int end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      throw new IOException("no answer: " + text);
    }
    List<String> head = List.of(text.substring(0, end).split("\r\n", -1));
    Map<String, String> headers = new LinkedHashMap<>();
    for (String line : head.subList(1, head.size())) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return new Response(
        Integer.parseInt(head.get(0).split(" ", -1)[1]),
        headers,
        Arrays.copyOfRange(bytes, end + 4, bytes.length));
  }

  /** A text as it stands in a query. */
  static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }
}
