package io.sifr.s3;

import io.sifr.spi.BackupStorage;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.function.Consumer;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A storage for backups in a bucket of S3, or of a server with its interface: {@code
 * Backups.in(S3Storage.of(client, "bucket", "folder/"))}.
 *
 * <p>The client, its credentials, its timeouts and how often it tries again are the program's; it
 * closes the client. What is required of the server: a listing, and a get, see each put and each
 * deletion that has returned before, as in S3.
 *
 * <p>Each object is put by one request, so it takes at most {@value #MOST_BYTES} bytes, and nothing
 * is left of one that fails but what the server itself leaves. Thread-safe. An interrupt of the
 * thread ends a call with an exception, as the client has it.
 */
public final class S3Storage implements BackupStorage {
  /** The most bytes that S3 takes by one request. */
  public static final long MOST_BYTES = 5L << 30;

  private static final String CONTENT_TYPE = "application/octet-stream";

  private final S3Client client;
  private final String bucket;
  private final String prefix;

  private S3Storage(S3Client client, String bucket, String prefix) {
    this.client = client;
    this.bucket = bucket;
    this.prefix = prefix;
  }

  /**
   * A storage; nothing is asked of the server yet.
   *
   * @param client by which the server is asked
   * @param bucket an existing bucket
   * @param prefix before the keys of all objects: empty, or ends with {@code /}; no other objects
   *     have keys that begin so
   * @throws IllegalArgumentException when the prefix has another form, or the bucket no name
   */
  public static S3Storage of(S3Client client, String bucket, String prefix) {
    if (bucket.isEmpty()) {
      throw new IllegalArgumentException("the name of the bucket is empty");
    }
    if (prefix.startsWith("/") || !(prefix.isEmpty() || prefix.endsWith("/"))) {
      throw new IllegalArgumentException(
          "prefix is \"" + prefix + "\"; allowed: empty, or one that ends, but not begins, with /");
    }
    return new S3Storage(client, bucket, prefix);
  }

  /** A request to the server. */
  @FunctionalInterface
  private interface Request<T> {
    T send() throws IOException;
  }

  /** What the client throws is unchecked. */
  private <T> T send(String name, Request<T> request) throws IOException {
    try {
      return request.send();
    } catch (NoSuchKeyException e) {
      throw missing(name, e);
    } catch (SdkException | UncheckedIOException e) {
      throw new IOException(this + name + ": " + e.getMessage(), e);
    }
  }

  private NoSuchFileException missing(String name, SdkException cause) {
    NoSuchFileException missing = new NoSuchFileException(this + name);
    missing.initCause(cause);
    return missing;
  }

  @Override
  public void put(String name, Content content) throws IOException {
    long bytes = content.bytes();
    if (bytes > MOST_BYTES) {
      throw new IOException(
          this + name + " would have " + bytes + " bytes; an object may have " + MOST_BYTES);
    }
    RequestBody body = RequestBody.fromContentProvider(() -> open(content), bytes, CONTENT_TYPE);
    send(name, () -> client.putObject(put -> put.bucket(bucket).key(prefix + name), body));
  }

  private static InputStream open(Content content) {
    try {
      return content.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public InputStream get(String name) throws IOException {
    return send(
        name,
        () ->
            new WholeObject(
                this + name, client.getObject(get -> get.bucket(bucket).key(prefix + name))));
  }

  /** Throws if it ends early, which not every client of HTTP does. */
  private static final class WholeObject extends InputStream {
    private final String name;
    private final ResponseInputStream<GetObjectResponse> response;
    private long left;

    WholeObject(String name, ResponseInputStream<GetObjectResponse> response) {
      this.name = name;
      this.response = response;
      this.left = response.response().contentLength();
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count;
      try {
        count = response.read(target, offset, length);
      } catch (SdkException e) {
        throw new IOException(name + ": " + e.getMessage(), e);
      }
      if (count < 0 && left > 0) {
        throw new EOFException(name + ": the answer ends " + left + " bytes early");
      }
      left -= Math.max(0, count);
      return count;
    }

    /** Ends the connection when something is left: nobody wants to read that first. */
    @Override
    public void close() throws IOException {
      if (left > 0) {
        response.abort();
      } else {
        response.close();
      }
    }
  }

  @Override
  public void list(String listed, Consumer<StoredObject> found) throws IOException {
    send(
        listed,
        () -> {
          for (S3Object object :
              client
                  .listObjectsV2Paginator(list -> list.bucket(bucket).prefix(prefix + listed))
                  .contents()) {
            found.accept(
                new StoredObject(
                    object.key().substring(prefix.length()), object.size(), object.lastModified()));
          }
          return listed;
        });
  }

  @Override
  public void delete(String name) throws IOException {
    send(name, () -> client.deleteObject(delete -> delete.bucket(bucket).key(prefix + name)));
  }

  /** Bucket and prefix, as a URI. */
  @Override
  public String toString() {
    return "s3://" + bucket + "/" + prefix;
  }
}
