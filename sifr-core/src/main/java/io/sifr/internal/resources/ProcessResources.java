package io.sifr.internal.resources;

import io.sifr.config.StoreOptions;
import java.util.HashMap;
import java.util.Map;

/** The shared resources of this process: one for each set of options in use. Thread-safe. */
public final class ProcessResources {
  private static final Map<StoreOptions, ProcessResources> IN_USE = new HashMap<>();

  private final StoreOptions options;
  private final SharedResources resources;
  private int shares; // guarded by IN_USE

  private ProcessResources(StoreOptions options) {
    this.options = options;
    this.resources = new SharedResources(options);
  }

  /** A share in those for the options, which are made if nobody has a share in them. */
  public static Share share(StoreOptions options) {
    synchronized (IN_USE) {
      ProcessResources used = IN_USE.computeIfAbsent(options, ProcessResources::new);
      used.shares++;
      return used.new Share();
    }
  }

  /** The share of one user of the resources. */
  public final class Share implements AutoCloseable {
    private boolean isClosed; // guarded by IN_USE

    private Share() {}

    public SharedResources resources() {
      return resources;
    }

    /** Gives the share back; the last one closes the resources. It can be called more than once. */
    @Override
    public void close() {
      synchronized (IN_USE) {
        if (isClosed) {
          return;
        }
        isClosed = true;
        shares--;
        if (shares == 0) {
          IN_USE.remove(options);
          resources.close();
        }
      }
    }
  }
}
