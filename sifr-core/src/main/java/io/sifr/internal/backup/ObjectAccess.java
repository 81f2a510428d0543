package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.spi.BackupStorage;
import io.sifr.spi.BackupStorage.Content;
import io.sifr.spi.BackupStorage.StoredObject;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way to the objects of a backup. Before each call, each object of a listing and each piece
 * of content something is done, such as to renew a claim. Failures are those of the store.
 */
final class ObjectAccess {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectAccess.class);

  private final BackupStorage storage;
  private final PathOf path;
  private final boolean mayBeLate;
  private final Runnable eachStep;

  /** Names objects in messages. */
  @FunctionalInterface
  interface PathOf {
    Path of(String name);
  }

  /** Receives pieces of an object. */
  @FunctionalInterface
  interface Sink {
    void accept(byte[] piece, int length);
  }

  /** One call to the storage. */
  @FunctionalInterface
  private interface Call {
    void run() throws IOException;
  }

  /**
   * @param path how messages call an object
   * @param mayBeLate whether a call that has failed may have its effect later
   * @param eachStep throws to end what is under way
   */
  ObjectAccess(BackupStorage storage, PathOf path, boolean mayBeLate, Runnable eachStep) {
    this.storage = storage;
    this.path = path;
    this.mayBeLate = mayBeLate;
    this.eachStep = eachStep;
  }

  /** How messages call an object. */
  Path path(String name) {
    return path.of(name);
  }

  /** Whether a call that has failed may have its effect later. */
  boolean mayBeLate() {
    return mayBeLate;
  }

  private void run(String name, String operation, Call call) {
    eachStep.run();
    try {
      call.run();
    } catch (SifrException e) {
      throw e;
    } catch (IOException e) {
      throw new StoreIoException(path(name), operation, e);
    } catch (RuntimeException e) { // who knows what a client throws
      throw new StoreIoException(path(name), operation, new IOException(e));
    }
  }

  /** Stores an object; throws what the content has thrown, if that is why it failed. */
  void put(String name, Content content) {
    WatchedContent watched = new WatchedContent(content);
    try {
      run(name, "put", () -> storage.put(name, watched));
    } catch (SifrException e) {
      RuntimeException cause = watched.failure;
      throw cause == null ? e : cause; // what wraps it may be anything
    }
  }

  /** Stores a small object. */
  void put(String name, byte[] content) {
    put(
        name,
        new Content() {
          @Override
          public long bytes() {
            return content.length;
          }

          @Override
          public InputStream open() {
            return new ByteArrayInputStream(content);
          }
        });
  }

  /** Does something before each piece, and keeps what a stream throws. */
  private final class WatchedContent implements Content {
    private final Content content;
    private volatile @Nullable RuntimeException failure;

    WatchedContent(Content content) {
      this.content = content;
    }

    @Override
    public long bytes() {
      return content.bytes();
    }

    @Override
    public InputStream open() throws IOException {
      return new FilterInputStream(content.open()) {
        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
          try {
            eachStep.run();
            return in.read(target, offset, length);
          } catch (RuntimeException e) {
            failure = e;
            throw e;
          }
        }

        @Override
        public boolean markSupported() {
          return false;
        }
      };
    }
  }

  /**
   * Reads an object.
   *
   * @param buffer for its pieces
   * @return its size
   * @throws CorruptionException when it is missing
   */
  long read(String name, byte[] buffer, Sink sink) {
    long[] bytes = {0};
    run(
        name,
        "get",
        () -> {
          try (InputStream in = storage.get(name)) {
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
              eachStep.run();
              sink.accept(buffer, length);
              bytes[0] += length;
            }
          } catch (NoSuchFileException e) {
            throw new CorruptionException(path(name), 0, "the file is missing");
          }
        });
    return bytes[0];
  }

  /**
   * The content of a small object; null when there is none.
   *
   * @param most bytes, less than {@link Integer#MAX_VALUE}
   * @throws CorruptionException when it has more bytes than that
   */
  byte @Nullable [] content(String name, int most) {
    byte[][] content = {null};
    run(
        name,
        "get",
        () -> {
          try (InputStream in = storage.get(name)) {
            content[0] = in.readNBytes(most + 1);
          } catch (NoSuchFileException e) {
            LOG.trace("there is no {}", name);
          }
        });
    if (content[0] != null && content[0].length > most) {
      throw new CorruptionException(path(name), most, "the file has more than " + most + " bytes");
    }
    return content[0];
  }

  /** All objects whose names begin so, in any order; none whose name might lead elsewhere. */
  List<StoredObject> list(String prefix) {
    List<StoredObject> objects = new ArrayList<>();
    run(
        prefix,
        "list",
        () ->
            storage.list(
                prefix,
                object -> {
                  eachStep.run();
                  if (object.name().startsWith(prefix) && ObjectNames.isSafe(object.name())) {
                    objects.add(object);
                  } else {
                    LOG.warn("what has another kind of name is left alone: {}", object.name());
                  }
                }));
    return objects;
  }

  void delete(String name) {
    run(name, "delete", () -> storage.delete(name));
  }

  void sync() {
    run("", "sync", storage::sync);
  }
}
