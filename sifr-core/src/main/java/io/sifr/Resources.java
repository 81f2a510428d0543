package io.sifr;

import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import io.sifr.event.ResourcesStatistics;
import io.sifr.internal.resources.MemoryUse;
import io.sifr.internal.resources.ProcessResources;
import io.sifr.internal.resources.SharedResources;
import io.sifr.internal.resources.StoreMemory;
import io.sifr.internal.resources.StoreResources;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Resources that stores of one process can share: memory for write buffers and for the cache, the
 * threads of flushes, compactions and searches, open files, and log segments that are kept for
 * reuse. Many small stores then take little more than one.
 *
 * <pre>{@code
 * try (Resources resources = Resources.of(StoreOptions.builder().compactionThreads(4).build());
 *     Store users = Store.builder(directory.resolve("users")).resources(resources).open();
 *     Store orders = Store.builder(directory.resolve("orders")).resources(resources).open()) {
 *   users.database().put(key, value);
 * }
 * }</pre>
 *
 * <p>The stores remain independent otherwise: one that fails, or whose disk is slow, does not stop
 * the others, and a small compaction does not wait for the large ones of another store. The order
 * of closing does not matter: stores go on when the resources are closed, and what is shared ends
 * with the last of them.
 *
 * <p>Thread-safe.
 */
public final class Resources implements AutoCloseable {
  private final SharedResources shared;
  private final Runnable closing;

  private Resources(SharedResources shared, Runnable closing) {
    this.shared = shared;
    this.closing = closing;
  }

  /**
   * Resources as large as the options say. It uses those settings of them that are {@linkplain
   * Setting#isShared marked} as settings of what can be shared; and it keeps as many bytes of log
   * segments for reuse as four of {@link StoreOptions#logSegmentBytes} take. Takes no memory to
   * speak of, and starts no thread, before a store needs it.
   */
  public static Resources of(StoreOptions options) {
    SharedResources shared = new SharedResources(Arguments.notNull("options", options));
    return new Resources(shared, shared::close);
  }

  /**
   * The resources of this process for the options, which all callers share with the same settings
   * of what can be shared: for programs that open stores in many places, which know nothing of each
   * other. They are made for the first caller, and end when all callers have closed what they were
   * given, and the last store with them is closed.
   *
   * <pre>{@code
   * try (Resources resources = Resources.ofProcess(options);
   *     Store store = Store.builder(directory)
   *         .options(options.withoutShared()).resources(resources).open()) {
   * }
   * }</pre>
   */
  public static Resources ofProcess(StoreOptions options) {
    ProcessResources.Share share =
        ProcessResources.share(Arguments.notNull("options", options).onlyShared());
    return new Resources(share.resources(), share::close);
  }

  /** For a store with these options, which must not set anything of what is shared. */
  SharedResources sharedWith(StoreOptions options) {
    List<String> given =
        StoreOptions.settings().stream()
            .filter(setting -> setting.isShared() && options.isGiven(setting))
            .map(Setting::name)
            .toList();
    if (!given.isEmpty()) {
      throw new IllegalArgumentException(
          "the store is opened with resources that it shares, so it cannot set "
              + given.stream().collect(Collectors.joining(" or "))
              + " for itself; set that in the options for Resources.of");
    }
    return shared;
  }

  /** What the stores take, all together and each of them; also after {@link #close}. */
  public ResourcesStatistics statistics() {
    MemoryUse use = shared.memory().use();
    return new ResourcesStatistics(
        use.budgetBytes(),
        new ResourcesStatistics.Memory(
            use.writeBufferBytes(), use.cacheBytes(), use.readAheadBytes(), use.idleBytes()),
        shared.segments().bytes(),
        shared.stores().stream().map(Resources::share).toList());
  }

  private static ResourcesStatistics.Share share(StoreResources store) {
    StoreMemory memory = store.memory();
    return new ResourcesStatistics.Share(
        store.directory(),
        new ResourcesStatistics.Memory(
            memory.memtables().used(), memory.cache().bytes(), memory.readAhead().used(), 0));
  }

  /**
   * Closes the resources: no store can be opened with them from now on; with those {@linkplain
   * #ofProcess of the process}, when all their callers have closed them. Stores that are open go
   * on, and the last one that is closed ends the threads. It can be called more than once.
   */
  @Override
  public void close() {
    closing.run();
  }
}
