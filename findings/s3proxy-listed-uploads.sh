#!/bin/bash
# S3Proxy: a listing shows an upload that is under way, as an object of what has arrived, under the key and a random id.
#
# Guess: a failed upload leaves nothing; an object is there as a whole or not at all, as in S3.
# So it is: a client says that its object "fruit/apple" has 1,000 bytes and sends 500. As long as its connection is open, a
# listing has "fruit/apple-" and a UUID, with 500 bytes, whether objects are in memory or in files. It can be got by that key,
# as well. When the connection ends it goes away. A client that hangs leaves it until the server gives up.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# Without an older Jackson than S3Proxy needs, and without its log.
EXCLUDED="com.google.cloud:google-cloud-storage ch.qos.logback:logback-classic"
jars org.gaul:s3proxy:4.1.0
cat >Upload.java <<'END'
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.nio2blob.*;

/** What is listed during an upload, and after it has broken off. */
public class Upload {
  static String base;

  static String send(String path) throws Exception {
    HttpRequest get = HttpRequest.newBuilder(URI.create(base + path)).build();
    return HttpClient.newHttpClient().send(get, HttpResponse.BodyHandlers.ofString()).body();
  }

  static String listed() throws Exception {
    Matcher keys =
        Pattern.compile("<Key>(.*?)</Key>.*?<Size>(\\d+)</Size>", Pattern.DOTALL).matcher(send("?list-type=2"));
    StringBuilder found = new StringBuilder();
    while (keys.find()) {
      found.append(keys.group(1)).append(" of ").append(keys.group(2)).append(" bytes, got ")
          .append(send("/" + keys.group(1)).length()).append("; ");
    }
    return found.length() == 0 ? "nothing" : found.toString().replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID");
  }

  /** What is listed for good: looks again until it is that, or ten seconds long. */
  static String listed(String expected) throws Exception {
    String now = listed();
    for (int i = 0; i < 100 && !now.equals(expected); i++) {
      Thread.sleep(100);
      now = listed();
    }
    return now;
  }

  public static void main(String[] args) throws Exception {
    BlobStore store = args[0].equals("memory")
        ? new TransientNio2BlobStore()
        : new FilesystemNio2BlobStore(Files.createTempDirectory(Path.of("."), "objects").toRealPath().toString());
    store.createContainer("bucket");
    S3Proxy proxy = S3Proxy.builder().blobStore(store)
        .awsAuthentication(AuthenticationType.NONE, null, null).endpoint(URI.create("http://127.0.0.1:0")).build();
    proxy.start();
    while (!proxy.getState().equals("STARTED")) {
      Thread.sleep(1);
    }
    base = "http://127.0.0.1:" + proxy.getPort() + "/bucket";
    String seen = "fruit/apple-UUID of 500 bytes, got 500; ";
    try (Socket socket = new Socket("127.0.0.1", proxy.getPort())) {
      socket.getOutputStream().write(("PUT /bucket/fruit/apple HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.getPort()
          + "\r\nContent-Length: 1000\r\n\r\n" + "x".repeat(500)).getBytes());
      socket.getOutputStream().flush();
      System.out.print("during the upload " + listed(seen));
    }
    System.out.println("afterwards " + listed("nothing"));
    System.exit(0);
  }
}
END
seen="during the upload fruit/apple-UUID of 500 bytes, got 500; afterwards nothing"
same "objects in memory" "$seen" "$(run_java Upload.java memory 2>/dev/null | tail -1)"
same "objects in files" "$seen" "$(run_java Upload.java files 2>/dev/null | tail -1)"
