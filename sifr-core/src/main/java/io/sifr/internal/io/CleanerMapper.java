package io.sifr.internal.io;

import static java.lang.invoke.MethodType.methodType;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Unmaps through {@code sun.misc.Unsafe.invokeCleaner}, the only way on Java 17 to 21; later
 * versions warn about it. Uses reflection, because the class is not visible to a compiler that
 * targets a release.
 */
final class CleanerMapper implements MemoryMapper {
  private final MethodHandle invokeCleaner; // (ByteBuffer) → void

  CleanerMapper() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      invokeCleaner =
          MethodHandles.lookup()
              .findVirtual(unsafe, "invokeCleaner", methodType(void.class, ByteBuffer.class))
              .bindTo(instance.get(null));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(
          "the module jdk.unsupported is missing: files could not be unmapped", e);
    }
  }

  @Override
  public Mapping map(FileChannel channel, FileChannel.MapMode mode, long size) throws IOException {
    MappedByteBuffer buffer = channel.map(mode, 0, size);
    return new Mapping(buffer, () -> unmap(buffer));
  }

  private void unmap(ByteBuffer buffer) {
    try {
      invokeCleaner.invokeExact(buffer);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("invokeCleaner threw a checked exception", e);
    }
  }
}
