package io.sifr;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.config.WriteOptions;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks arguments of public methods, whose callers may ignore nullness annotations. */
final class Arguments {
  private Arguments() {}

  static <T> T notNull(String name, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is null");
    }
    return value;
  }

  /** A path of the platform's file system. */
  static Path path(String name, @Nullable Path path) {
    return DiskFileSystem.requireOwn(name, notNull(name, path));
  }

  /** Options of a write that is no put, and so cannot expire. */
  static WriteOptions withoutExpiry(@Nullable WriteOptions options) {
    WriteOptions given = notNull("options", options);
    if (given.expireAfter() != null) {
      throw new IllegalArgumentException(
          "expireAfter is " + given.expireAfter() + "; allowed: only for puts, one by one");
    }
    return given;
  }

  /** The bytes from position to limit of a buffer, which does not change. */
  static ByteBuf readable(String name, @Nullable ByteBuffer buffer) {
    return Unpooled.wrappedBuffer(notNull(name, buffer));
  }

  /** A copy of the bytes from position to limit of a buffer, which does not change. */
  static byte[] copy(String name, @Nullable ByteBuffer buffer) {
    ByteBuffer given = notNull(name, buffer);
    byte[] bytes = new byte[given.remaining()];
    given.get(given.position(), bytes);
    return bytes;
  }
}
