package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.io.DiskFileSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails every test class after which memory off the heap is left: blocks that were not given back,
 * buffers that were forgotten (Netty's detector notices those when they are collected, so it may be
 * a later class that fails), mappings.
 *
 * <p>A class that is annotated with {@link LeavesStoresOpen} says why it cannot help it.
 */
public final class MemoryIsGivenBack implements BeforeAllCallback, AfterAllCallback {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(MemoryIsGivenBack.class);

  private static final Queue<String> FORGOTTEN = new ConcurrentLinkedQueue<>();

  static {
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          @Deprecated
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int samplingInterval, long maxActive) {
            return new Recording<>(resource, samplingInterval);
          }
        });
  }

  /** What was in use before. */
  private record InUse(long blockBytes, int mappings) {
    static InUse now() {
      return new InUse(BlockMemory.bytesInUse(), DiskFileSystem.openMappings());
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    context.getStore(NAMESPACE).put(InUse.class, InUse.now());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    List<String> forgotten = new ArrayList<>();
    for (String one = FORGOTTEN.poll(); one != null; one = FORGOTTEN.poll()) {
      forgotten.add(one);
    }
    assertThat(forgotten).as("buffers that were forgotten").isEmpty();
    if (!context.getRequiredTestClass().isAnnotationPresent(LeavesStoresOpen.class)) {
      assertThat(InUse.now())
          .as("memory off the heap")
          .isEqualTo(context.getStore(NAMESPACE).get(InUse.class, InUse.class));
    }
  }

  private static final class Recording<T> extends ResourceLeakDetector<T> {
    Recording(Class<T> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    protected boolean needReport() {
      return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      FORGOTTEN.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      FORGOTTEN.add(resourceType);
    }
  }
}
